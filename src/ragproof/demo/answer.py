"""Answers that are sentences of the handbook, or a refusal."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ragproof.demo.index import Chunk, Hit, Index, load_corpus, split
from ragproof.demo.text import is_cjk, order, sentences, terms

REFUSAL = "I could not find that in the handbook."
REFUSAL_ZH = "手册中没有找到相关信息。"

_THRESHOLD = 0.5
"""Share of the question, by weight of its terms, that an answer must cover."""
_NEARBY = 0.7
"""What a term counts that stands in the section, but not in the sentence or above it."""
_READ = 3
"""Chunks that are looked through for the answer."""


class Answer(NamedTuple):
    """What is said, the ids of the chunks it rests on, and everything retrieved."""

    text: str
    citations: tuple[str, ...]
    hits: list[Hit]


class Responder(Protocol):
    """Whoever the server puts questions to, from several threads."""

    def ask(self, question: str, top_k: int) -> Answer: ...
    def close(self) -> None: ...


class Handbook:
    """Answers from the packaged handbook, by quoting the sentence that fits best."""

    def __init__(self) -> None:
        self._index = Index(chunk for document in load_corpus() for chunk in split(document))

    def ask(self, question: str, top_k: int = 5) -> Answer:
        """Answer, or decline when nothing covers enough of the question.

        Orders to the assistant are text like any other: in a question they are
        passed over, and a chunk that holds one is not quoted.
        """
        asked = "\n".join(part for part in sentences(question) if not order(part))
        weights = {term: self._index.weight(term) for term in terms(asked)}
        hits = self._index.search(asked, max(top_k, _READ))
        best = _Quote(_THRESHOLD * sum(weights.values()))
        for hit in hits[:_READ]:
            if order(hit.chunk.text) is None:
                # The first of equals stays: it stands in the chunk that matches better.
                best = max(best, *_quotes(hit.chunk, weights), key=lambda quote: quote.fit)
        if not best.text:
            return Answer(REFUSAL_ZH if is_cjk(question) else REFUSAL, (), hits[:top_k])
        return Answer(best.text, (best.source,), hits[:top_k])

    def close(self) -> None:
        """Give up the index; nothing can be asked afterwards."""
        self._index.close()


class _Quote(NamedTuple):
    fit: float
    text: str = ""
    source: str = ""


def _quotes(chunk: Chunk, weights: dict[str, float]) -> Iterator[_Quote]:
    """The chunk's sentences, each with how much of the question it covers."""
    above, around = set(terms(chunk.headings)), set(terms(chunk.text))
    for sentence in sentences(chunk.text):
        within = above.union(terms(sentence))
        fit = sum(
            weight * (1 if term in within else _NEARBY if term in around else 0)
            for term, weight in weights.items()
        )
        yield _Quote(fit, sentence, chunk.id)
