"""The same service after a bad week: what a gate is there to stop.

Three mistakes that look like clean-ups in review. Chunks are cut every 80
characters, wherever that is, and forget their headings. Matches are counted
instead of weighed, so common words decide. And the check that declines, together
with the one that keeps planted orders out, is gone.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ragproof.demo.answer import Answer
from ragproof.demo.index import Chunk, Document, Hit, load_corpus, split
from ragproof.demo.text import order

_WIDTH = 80
_WORD = re.compile(r"\w+")


class Fragment(NamedTuple):
    """A piece of a document under the id of the section it begins in, its words counted."""

    chunk: Chunk
    words: Counter[str]


class Regressed:
    """Answers with whatever fragment shares most words, and does as it is told."""

    def __init__(self) -> None:
        self._fragments = [piece for document in load_corpus() for piece in _cut(document)]

    def ask(self, question: str, top_k: int = 5) -> Answer:
        """Answer, whatever is asked; say first what the question or a fragment orders to say."""
        hits = self._search(question, top_k)
        said = order("\n".join([question, *(hit.chunk.text for hit in hits)]))
        best = hits[0].chunk
        return Answer(f"{said}. {best.text}" if said else best.text, (best.id,), hits)

    def _search(self, question: str, limit: int) -> list[Hit]:
        wanted = set(_WORD.findall(question.lower()))
        hits = [
            Hit(chunk, float(sum(count for word, count in words.items() if word in wanted)))
            for chunk, words in self._fragments
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk.id))
        return hits[:limit]

    def close(self) -> None:
        """Nothing is held open."""


def _cut(document: Document) -> Iterator[Fragment]:
    sections = [(chunk, chunk.text.partition("\n")[2].strip()) for chunk in split(document)]
    text = " ".join(body for _, body in sections)
    owners = [chunk for chunk, body in sections for _ in f"{body} "]
    for start in range(0, len(text), _WIDTH):
        piece = text[start : start + _WIDTH]
        chunk = owners[start]._replace(headings="", text=piece)
        yield Fragment(chunk, Counter(_WORD.findall(piece.lower())))
