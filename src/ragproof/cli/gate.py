"""``ragproof gate``."""

from pathlib import Path

import click

from ragproof.cli.options import config_option
from ragproof.errors import ConfigError


@click.command("gate", short_help="Judge a saved run by the thresholds of a configuration.")
@click.argument("run", type=click.Path(path_type=Path))
@config_option
def command(run: Path, config: Path) -> int:
    """Judge RUN, a run.json, by the gate and the case_pass rules of the configuration, asking
    nothing. Exits with 0 when the gate passes, 1 when it fails, 2 when it cannot judge."""
    from ragproof.cli.reports import print_summary
    from ragproof.config.load import load_config
    from ragproof.regate import regate
    from ragproof.results.runfile import RunFile

    settings = load_config(config)
    if not settings.gate.enforces():
        raise ConfigError(
            f"{config}: the gate would pass whatever was measured", "add gate.thresholds"
        )
    result, judged = regate(RunFile(run), settings)
    print_summary(judged)
    return int(result.exit_code)
