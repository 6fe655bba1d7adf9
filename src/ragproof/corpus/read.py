"""Reading a corpus: every file becomes a document or is listed with a reason.

Text, Markdown, reStructuredText and source code are taken as they are, but for the ends of
lines. Of HTML and DOCX the structure becomes Markdown: ``#`` before headings, ``-`` before
items, tables between ``|``, code between fences. Pages of a PDF are divided by blank lines.
"""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from ragproof.corpus.decode import decode
from ragproof.corpus.formats import format_by_name, format_of
from ragproof.corpus.records import Corpus, Document, Skipped
from ragproof.corpus.regular import read_bytes
from ragproof.corpus.settings import ReadSettings
from ragproof.corpus.sources import Found, list_files
from ragproof.corpus.unreadable import UnreadableError
from ragproof.corpus.worker import Worker
from ragproof.errors import CorpusError

__all__ = ["ReadSettings", "Reader", "make_corpus", "read_corpus"]

_IN_A_PROGRAM = frozenset({"html", "pdf", "docx"})
_SHOWN = 10
_DEFAULTS = ReadSettings()


def read_corpus(path: Path, settings: ReadSettings = _DEFAULTS) -> Corpus:
    """Read a folder or a file.

    Raises:
        CorpusError: there is none, or nothing of it could be read.
    """
    listing = list_files(path, settings)
    with Reader(settings) as reader:
        outcomes = [reader.read_file(found) for found in listing.files]
    return make_corpus([*outcomes, *listing.skipped], f"corpus {path}")


def make_corpus(outcomes: Iterable[Document | Skipped], what: str) -> Corpus:
    """A corpus of what was read and skipped. ``what`` names it in messages.

    Raises:
        CorpusError: nothing was read.
    """
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for outcome in outcomes:
        if isinstance(outcome, Document):
            documents.append(outcome)
        else:
            skipped.append(outcome)
    skipped.sort()
    if not documents:
        raise _nothing_read(skipped, what)
    return Corpus(tuple(sorted(documents, key=lambda document: document.id)), tuple(skipped))


class Reader:
    """Reads files one after the other. What it needs for some formats ends with its block."""

    def __init__(self, settings: ReadSettings = _DEFAULTS) -> None:
        self._settings = settings
        self._worker = Worker(settings.timeout_s, settings.memory_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._worker.close()

    def read_file(self, found: Found) -> Document | Skipped:
        """Read a file of the disk."""
        try:
            format_by_name(found.path.name)  # what is not read need not be opened
            raw = read_bytes(found.path, self._settings.max_file_bytes)
        except UnreadableError as error:
            return Skipped(found.id, error.reason)
        return self.read(found.id, raw)

    def read(self, document_id: str, raw: bytes) -> Document | Skipped:
        """Read the bytes of a file. The last part of its id tells its format."""
        try:
            if len(raw) > self._settings.max_file_bytes:
                limit = self._settings.max_file_bytes / 1_000_000
                raise UnreadableError(f"is larger than {limit:g} MB")
            if not raw:
                raise UnreadableError("is empty")
            return self._document(document_id, raw)
        except UnreadableError as error:
            return Skipped(document_id, error.reason)

    def _document(self, document_id: str, raw: bytes) -> Document:
        name = format_of(document_id.rpartition("/")[2], raw)
        if name in _IN_A_PROGRAM:
            text, pages, warnings = self._worker.extract(name, raw)
        else:
            (text, warnings), pages = decode(raw), ()
        if not text.strip():
            raise UnreadableError("; ".join(["holds no text", *warnings]))
        return Document(document_id, text, name, pages, warnings)


def _nothing_read(skipped: list[Skipped], what: str) -> CorpusError:
    if not skipped:
        return CorpusError(f"{what} holds no file", "check the path")
    lines = [f"{what}: no file could be read"]
    lines += [f"  {each.id} {each.reason}" for each in skipped[:_SHOWN]]
    if len(skipped) > _SHOWN:
        lines.append(f"  ... and {len(skipped) - _SHOWN} more")
    return CorpusError("\n".join(lines), "check the path and the patterns, or mend the files")
