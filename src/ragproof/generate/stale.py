"""Which cases of a dataset rest on something that changed since."""

import hashlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from ragproof.corpus.chunk import ChunkSettings, chunk_corpus, chunk_document
from ragproof.corpus.records import Chunk, Corpus
from ragproof.errors import UsageError
from ragproof.generate.origin import DIGITS, Origin, Place
from ragproof.generate.search import ChunkIndex
from ragproof.generate.unanswerable import nearest
from ragproof.records import Case, Kind

_DEFAULT = ChunkSettings()


class State(StrEnum):
    """What became of the source of a case."""

    SAME = "same"
    CHANGED = "changed"
    """The passage that it was made from reads otherwise now."""
    VANISHED = "vanished"
    """The document is no longer there."""
    COMPARE = "to be compared again"
    """An unanswerable question that passages come nearest to which it was not compared with."""
    UNKNOWN = "unknown"
    """The case does not say what it was made from; people wrote it."""


class Finding(NamedTuple):
    """The state of one case, and the document that decides about it."""

    case: Case
    state: State
    document: str

    @property
    def stale(self) -> bool:
        """Whether somebody should look at the case."""
        return self.state in (State.CHANGED, State.VANISHED, State.COMPARE)


def examine(cases: Iterable[Case], corpus: Corpus) -> list[Finding]:
    """The state of every case, in their order."""
    with _View(corpus) as view:
        return [_examine(case, view) for case in cases]


def _examine(case: Case, view: "_View") -> Finding:
    origin = Origin.read(case.origin)
    if origin is None:
        return Finding(case, State.UNKNOWN, "")
    settings = _settings(origin)
    for place in origin.places:
        state = view.state(place, case, settings)
        if state is not State.SAME:
            return Finding(case, state, place.document)
    if case.kind is Kind.UNANSWERABLE and origin.checked:
        for chunk in view.nearest(case.question, settings):
            if chunk.hash[:DIGITS] not in origin.checked:
                return Finding(case, State.COMPARE, chunk.document_id)
    return Finding(case, State.SAME, origin.places[0].document)


def _settings(origin: Origin) -> ChunkSettings:
    """How the corpus was cut into chunks when the case was made."""
    if origin.size is None or origin.overlap is None:
        return _DEFAULT
    try:
        return ChunkSettings(origin.size, origin.overlap)
    except UsageError:  # an origin that was edited
        return _DEFAULT


class _View:
    """A corpus as it is now, cut and indexed as far as needed."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._documents = {document.id: document for document in corpus.documents}
        self._hashes: dict[tuple[str, ChunkSettings], frozenset[str]] = {}
        self._indices: dict[ChunkSettings, ChunkIndex] = {}

    def __enter__(self) -> "_View":
        return self

    def __exit__(self, *_: object) -> None:
        for index in self._indices.values():
            index.close()

    def state(self, place: Place, case: Case, settings: ChunkSettings) -> State:
        """Whether the chunk of a place is still in its document."""
        document = self._documents.get(place.document)
        if document is None:
            return State.VANISHED
        if document.hash[:DIGITS] == place.document_hash:
            return State.SAME
        if place.chunk_hash in self._chunks_of(place.document, settings):
            return State.SAME
        found = place.chunk_hash in _around_quotes(document.text, place, case)
        return State.SAME if found else State.CHANGED

    def nearest(self, question: str, settings: ChunkSettings) -> tuple[Chunk, ...]:
        """The chunks that match a question best."""
        index = self._indices.get(settings)
        if index is None:
            index = self._indices[settings] = ChunkIndex(chunk_corpus(self._corpus, settings))
        return nearest(index, question)

    def _chunks_of(self, document_id: str, settings: ChunkSettings) -> frozenset[str]:
        key = (document_id, settings)
        if key not in self._hashes:
            chunks = chunk_document(self._documents[document_id], settings)
            self._hashes[key] = frozenset(chunk.hash[:DIGITS] for chunk in chunks)
        return self._hashes[key]


def _around_quotes(text: str, place: Place, case: Case) -> Iterator[str]:
    """Hashes of what stands where the chunk would, measured from the quotes of the case.

    So a passage is known again that did not change itself, where text before it did and chunks
    begin at other places.
    """
    if place.chunk_size is None or place.quote_at is None:
        return
    for item in case.evidence:
        at = text.find(item.quote) if item.source_id == place.document else -1
        while at >= 0:
            start = at - place.quote_at
            if start >= 0:
                window = text[start : start + place.chunk_size]
                raw = window.encode("utf-8", "surrogatepass")
                yield hashlib.sha256(raw).hexdigest()[:DIGITS]
            at = text.find(item.quote, at + 1)
