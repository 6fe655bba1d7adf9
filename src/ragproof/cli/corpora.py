"""Reading the corpus that a command makes cases of or checks them against."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ragproof.cli.console import one_line, tell, warn

if TYPE_CHECKING:
    from ragproof.corpus.chunk import ChunkSettings
    from ragproof.corpus.records import Corpus

_SHOWN = 20


class Reading(NamedTuple):
    """A corpus that is to be read."""

    location: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_file_bytes: int
    server: str | None
    size: int
    overlap: int


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
