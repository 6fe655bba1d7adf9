"""``ragproof schema``."""

import click

from ragproof.cli.console import say


@click.command("schema", short_help="Print the JSON Schema of the configuration.")
def command() -> None:
    """Print the JSON Schema (2020-12) of ragproof.yml, for editors and validators."""
    import json

    from ragproof.config.load import config_schema

    say(json.dumps(config_schema(), indent=2, ensure_ascii=False))
