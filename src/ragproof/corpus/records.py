"""What reading a corpus gives."""

import hashlib
from typing import NamedTuple

from ragproof.strictjson import canonical


class Document(NamedTuple):
    """One document as text.

    ``id`` is its path within the corpus with ``/`` between the parts, in Unicode's form NFC,
    or its address on a server. ``format`` is one of :data:`FORMATS`. ``pages`` are the offsets
    in ``text`` at which pages begin, of formats that have pages. ``warnings`` say what of the
    file is not in the text.
    """

    id: str
    text: str
    format: str
    pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 of the text, as 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


FORMATS = ("text", "markdown", "rst", "html", "code", "pdf", "docx")


class Skipped(NamedTuple):
    """A file that was not read, and why: a sentence without its path."""

    id: str
    reason: str


class Corpus(NamedTuple):
    """Documents in the order of their ids, and what was skipped in the same order."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over ids and texts of all documents, as 64 hexadecimal digits."""
        pairs = [[document.id, document.hash] for document in self.documents]
        return hashlib.sha256(canonical(pairs).encode()).hexdigest()


class Chunk(NamedTuple):
    """A part of a document: ``text == document.text[start:end]``.

    ``id`` depends on the document's id and on what stands in the chunk, and on nothing else.
    ``headings`` are those above it, outermost first; ``page`` counts from 1.
    """

    id: str
    document_id: str
    start: int
    end: int
    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None

    @property
    def hash(self) -> str:
        """SHA-256 of the text, as 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
