"""Which corpus is read, and how: options of the commands that make or check cases."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from ragproof.cli.console import one_line, tell, warn

if TYPE_CHECKING:
    from ragproof.corpus.chunk import ChunkSettings
    from ragproof.corpus.records import Corpus

_SHOWN = 20
_F = TypeVar("_F", bound=Callable[..., Any])


class Reading(NamedTuple):
    """A corpus that is to be read."""

    location: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_file_bytes: int
    server: str | None
    size: int
    overlap: int


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


def reading(given: dict[str, Any]) -> Reading:
    """What the options say."""
    return Reading(
        given["corpus"],
        given["include"],
        given["exclude"],
        given["max_file_bytes"],
        given["server"],
        given.get("chunk_size", 1_200),
        given.get("chunk_overlap", 150),
    )


def read(reading: Reading) -> "Corpus":
    """Read the corpus, and say what was not read and what is missing in it.

    Raises:
        CorpusError, ConfigError, EndpointError: it cannot be read, or nothing in it can.
    """
    from ragproof.cli.corpus import open_location
    from ragproof.corpus.settings import ReadSettings

    settings = ReadSettings(
        include=reading.include, exclude=reading.exclude, max_file_bytes=reading.max_file_bytes
    )
    corpus = open_location(reading.location, settings, reading.server)
    tell(f"read {_count(len(corpus.documents), 'document')} of {reading.location}")
    remarks = [f"skipped {one.id}: {one.reason}" for one in corpus.skipped]
    remarks += [f"{one.id}: {text}" for one in corpus.documents for text in one.warnings]
    for remark in remarks[:_SHOWN]:
        warn(one_line(remark))
    if len(remarks) > _SHOWN:
        warn(f"and {len(remarks) - _SHOWN} more: `ragproof corpus` lists them all")
    return corpus


def chunking(reading: Reading) -> "ChunkSettings":
    """How the corpus is cut.

    Raises:
        UsageError: size and overlap do not go together.
    """
    from ragproof.corpus.chunk import ChunkSettings

    return ChunkSettings(reading.size, reading.overlap)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
