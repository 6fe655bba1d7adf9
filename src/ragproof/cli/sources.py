"""Options that say which corpus is read, and how it is cut into chunks."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])


def source_options(function: _F) -> _F:
    """Options that say what is read."""
    for option in reversed(
        (
            click.option(
                "--corpus",
                required=True,
                metavar="CORPUS",
                help="A folder, a file, or viking://scope/path.",
            ),
            click.option(
                "--include",
                multiple=True,
                metavar="GLOB",
                help="Read only files that match; may be given more than once.",
            ),
            click.option(
                "--exclude",
                multiple=True,
                metavar="GLOB",
                help="Leave out files that match; may be given more than once.",
            ),
            click.option(
                "--max-file-bytes",
                type=click.IntRange(min=1),
                default=5_000_000,
                show_default=True,
                metavar="N",
                help="Skip larger files.",
            ),
            click.option(
                "--server",
                metavar="URL",
                help="The OpenViking server of a viking:// corpus; by default RAGPROOF_VIKING_URL."
                " Its key is taken from RAGPROOF_VIKING_KEY.",
            ),
        )
    ):
        function = option(function)
    return function


def chunk_options(function: _F) -> _F:
    """Options that say how it is cut."""
    for option in reversed(
        (
            click.option(
                "--chunk-size",
                type=click.IntRange(min=1),
                default=1_200,
                show_default=True,
                metavar="N",
                help="Characters of a chunk.",
            ),
            click.option(
                "--chunk-overlap",
                type=click.IntRange(min=0),
                default=150,
                show_default=True,
                metavar="N",
                help="Characters that a chunk repeats of the one before.",
            ),
        )
    ):
        function = option(function)
    return function
