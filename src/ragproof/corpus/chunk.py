"""From documents to chunks: deterministic, along their structure, in any script."""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from ragproof.corpus.blocks import Block, indented_groups, paragraphs
from ragproof.corpus.chunk_markdown import markdown_blocks
from ragproof.corpus.chunk_pack import Span, pack, units
from ragproof.corpus.chunk_rst import rst_blocks
from ragproof.corpus.records import Chunk, Corpus, Document
from ragproof.errors import UsageError


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How long chunks are, and how much each repeats of the one before, in characters.

    Raises:
        UsageError: the size is not positive, or the overlap negative or more than half of it.
    """

    size: int = 1_200
    overlap: int = 150

    def __post_init__(self) -> None:
        if self.size < 1:
            raise UsageError(f"a chunk size of {self.size} is not positive", "use 1200, say")
        if not 0 <= self.overlap <= self.size // 2:
            raise UsageError(
                f"an overlap of {self.overlap} characters does not go with chunks of {self.size}",
                f"use 0 to {self.size // 2}",
            )


DEFAULT = ChunkSettings()


def chunk_corpus(corpus: Corpus, settings: ChunkSettings = DEFAULT) -> list[Chunk]:
    """The chunks of all documents, in their order."""
    return [chunk for document in corpus.documents for chunk in chunk_document(document, settings)]


def chunk_document(document: Document, settings: ChunkSettings = DEFAULT) -> list[Chunk]:
    """The chunks of a document, in the order of their beginnings.

    Every character that is no white space is in at least one. A chunk is longer than
    ``settings.size`` only where readers see all of it as one character.
    """
    seen: Counter[str] = Counter()
    chunks = []
    for page, span in _spans(document, settings):
        text = document.text[span.start : span.end]
        chunk = Chunk("", document.id, span.start, span.end, text, span.headings, page)
        text_hash = chunk.hash
        chunks.append(chunk._replace(id=_chunk_id(document.id, text_hash, seen[text_hash])))
        seen[text_hash] += 1
    return chunks


def _chunk_id(document_id: str, text_hash: str, occurrence: int) -> str:
    """The same wherever else in the corpus, or in the document, something changes."""
    name = f"{document_id}\0{text_hash}\0{occurrence}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _spans(document: Document, settings: ChunkSettings) -> Iterator[tuple[int | None, Span]]:
    """Chunks without their texts. None goes on from one page to the next."""
    text, size = document.text, settings.size
    found = list(units(text, _blocks(document), size))
    if not document.pages:
        for span in pack(text, found, size, settings.overlap):
            yield None, span
        return
    for begun, group in groupby(found, lambda unit: bisect_right(document.pages, unit.start)):
        for span in pack(text, list(group), size, settings.overlap):
            yield max(1, begun), span


def _blocks(document: Document) -> Iterator[Block]:
    text = document.text
    if document.format in ("markdown", "html", "docx"):  # reading these makes Markdown of them
        return markdown_blocks(text, front_matter=document.format == "markdown")
    if document.format == "rst":
        return rst_blocks(text)
    if document.format == "code":
        return indented_groups(text, 0, len(text))
    return _page_blocks(document)


def _page_blocks(document: Document) -> Iterator[Block]:
    """Paragraphs, none of which goes on from one page to the next."""
    edges = sorted({0, *document.pages, len(document.text)})
    for start, end in pairwise(edges):
        yield from paragraphs(document.text, start, end)
