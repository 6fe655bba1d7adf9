"""Options that several commands share."""

from pathlib import Path

import click

DEFAULT_CONFIG = Path("ragproof.yml")
DEFAULT_OUT = Path("ragproof-out")

config_option = click.option(
    "--config",
    "-c",
    type=click.Path(path_type=Path),
    default=DEFAULT_CONFIG,
    show_default=True,
    metavar="FILE",
    help="The configuration.",
)
out_option = click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    metavar="DIR",
    help="Folder for the results; made if it is not there.",
)
wait_for_option = click.option(
    "--wait-for",
    metavar="URL",
    help="Before asking, wait until this address answers with a status of success.",
)
wait_timeout_option = click.option(
    "--wait-timeout",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for it.",
)
