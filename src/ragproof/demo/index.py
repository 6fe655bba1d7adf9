"""The sample handbook, cut at its headings and indexed for full-text search."""

import math
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from threading import Lock
from typing import NamedTuple

from ragproof.demo.text import terms

_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_MAX_TERMS = 64
"""Terms of one query; the rest of a longer question is not looked up."""


class Document(NamedTuple):
    """One file of the handbook; its id is the file's name."""

    id: str
    text: str


class Chunk(NamedTuple):
    """One section; ``headings`` are the document's title and its own."""

    id: str
    document_id: str
    headings: str
    text: str


class Hit(NamedTuple):
    """A chunk found, and how well it matches (more is better)."""

    chunk: Chunk
    score: float


def load_corpus() -> list[Document]:
    """The documents of the packaged handbook, by id."""
    folder = files("ragproof.demo") / "corpus"
    documents = (
        Document(entry.name, entry.read_text(encoding="utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".md")
    )
    return sorted(documents)


def slug(heading: str) -> str:
    """A heading as the anchor that points to it: ``Wet tents`` is ``wet-tents``."""
    return "-".join(re.findall(r"\w+", heading.casefold()))


def split(document: Document) -> Iterator[Chunk]:
    """The sections of a document, each with the id ``<file name>#<slug of its heading>``.

    A heading that returns is numbered from its second time on.
    """
    headings = list(_HEADING.finditer(document.text))
    ends = [*(heading.start() for heading in headings[1:]), len(document.text)]
    seen: Counter[str] = Counter()
    for heading, end in zip(headings, ends, strict=False):
        anchor = slug(heading[1])
        suffix = f"-{seen[anchor]}" if seen[anchor] else ""
        seen[anchor] += 1
        text = document.text[heading.start() : end].strip()
        above = f"{headings[0][1]} / {heading[1]}"
        yield Chunk(f"{document.id}#{anchor}{suffix}", document.id, above, text)


class Index:
    """Full-text search over chunks, in memory; threads may share it."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._chunks = sorted(chunks)
        indexed = [terms(f"{chunk.headings}\n{chunk.text}") for chunk in self._chunks]
        self._frequency = Counter(term for found in indexed for term in set(found))
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute("CREATE VIRTUAL TABLE chunks USING fts5(terms, content='')")
        self._database.executemany(
            "INSERT INTO chunks (rowid, terms) VALUES (?, ?)",
            ((row, " ".join(found)) for row, found in enumerate(indexed)),
        )

    def search(self, question: str, limit: int = 5) -> list[Hit]:
        """The chunks that match best by BM25; equal ones in the order of their ids."""
        # A quoted term can never be read as an operator of the query language.
        wanted = [f'"{term}"' for term in dict.fromkeys(terms(question))][:_MAX_TERMS]
        if not wanted:
            return []
        with self._lock:
            rows = self._database.execute(
                "SELECT rowid, round(-bm25(chunks), 6) AS score FROM chunks"
                " WHERE chunks MATCH ? ORDER BY score DESC, rowid LIMIT ?",
                (" OR ".join(wanted), limit),
            ).fetchall()
        return [Hit(self._chunks[row], score) for row, score in rows]

    def weight(self, term: str) -> float:
        """How much a term tells: the fewer chunks have it the more (inverse frequency)."""
        return math.log((len(self._chunks) + 1) / (self._frequency[term] + 0.5))

    def close(self) -> None:
        """Give up the database; nothing can be searched afterwards."""
        with self._lock:
            self._database.close()
