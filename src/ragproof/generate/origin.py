"""How a case was made, as its field ``origin`` says it, and as it is read again."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from ragproof.corpus.records import Chunk
from ragproof.generate.records import Draft
from ragproof.generate.text import Span

DIGITS = 16
"""Hexadecimal digits of a hash that are kept."""


class Maker(NamedTuple):
    """What made the cases of one run. ``size`` and ``overlap`` are those of chunks."""

    generator: str
    seed: int
    size: int
    overlap: int
    documents: Mapping[str, str]
    """Hash of every document."""
    model: str | None = None
    prompts: str | None = None
    """Hash of the prompts."""

    def origin(self, draft: Draft, **more: Any) -> dict[str, Any]:
        """The origin of a case."""
        sources = {source.chunk.id: source for source in reversed(draft.sources)}
        places = [
            self._place(source.chunk, source.span) for source in reversed(list(sources.values()))
        ] or [self._place(draft.chunk, None)]
        origin: dict[str, Any] = {"generator": self.generator}
        if self.model is not None:
            origin["model"] = self.model
        origin |= places[0]
        if places[1:]:
            origin["more"] = places[1:]
        if draft.checked:
            origin["checked"] = [chunk.hash[:DIGITS] for chunk in draft.checked]
        if self.prompts is not None:
            origin["prompts"] = self.prompts
        return origin | {"seed": self.seed, "chunking": [self.size, self.overlap]} | more

    def _place(self, chunk: Chunk, span: Span | None) -> dict[str, Any]:
        place: dict[str, Any] = {
            "document": chunk.document_id,
            "document_hash": self.documents[chunk.document_id][:DIGITS],
            "chunk": chunk.id,
            "chunk_hash": chunk.hash[:DIGITS],
        }
        if span is not None:
            # With these the text of the chunk is found again where chunks begin elsewhere.
            place |= {"chunk_size": len(chunk.text), "quote_at": span.start}
        return place


class Place(NamedTuple):
    """A chunk that a case was made from, as its origin names it."""

    document: str
    document_hash: str
    chunk_hash: str
    chunk_size: int | None
    quote_at: int | None

    @classmethod
    def read(cls, value: Any) -> Self | None:
        """The place in a part of an origin; ``None`` if there is none."""
        if not isinstance(value, Mapping):
            return None
        texts = [value.get(key) for key in ("document", "document_hash", "chunk_hash")]
        if not all(isinstance(text, str) and text for text in texts):
            return None
        sizes = (value.get(key) for key in ("chunk_size", "quote_at"))
        size, at = (one if type(one) is int and one >= 0 else None for one in sizes)
        document, document_hash, chunk_hash = map(str, texts)
        return cls(document, document_hash, chunk_hash, size, at)


class Origin(NamedTuple):
    """What an origin says, as far as it is needed to see whether its sources changed."""

    places: tuple[Place, ...]
    checked: frozenset[str]
    size: int | None
    overlap: int | None

    @classmethod
    def read(cls, origin: Mapping[str, Any] | None) -> Self | None:
        """Read the origin of a case; ``None`` if it names no source."""
        if origin is None or (first := Place.read(origin)) is None:
            return None
        more = map(Place.read, _list(origin.get("more")))
        chunking = [one for one in _list(origin.get("chunking")) if type(one) is int]
        size, overlap = chunking if len(chunking) == 2 else (None, None)
        checked = frozenset(one for one in _list(origin.get("checked")) if isinstance(one, str))
        return cls((first, *filter(None, more)), checked, size, overlap)


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()
