"""Full-text search over all chunks of a corpus, in any language."""

import sqlite3
from collections.abc import Iterable, Sequence
from threading import Lock

from ragproof.corpus.records import Chunk
from ragproof.generate.text import parts

_MAX_PARTS = 400
"""Parts of one query; the rest of a longer question is not looked up."""


class ChunkIndex:
    """BM25 over the parts of texts and headings. Threads may share it."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._chunks: Sequence[Chunk] = tuple(chunks)
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        # The parts are words already: what is beyond ASCII must not be taken apart again.
        self._database.execute(
            "CREATE VIRTUAL TABLE chunks USING fts5(parts, content='', tokenize='ascii')"
        )
        self._database.executemany(
            "INSERT INTO chunks (rowid, parts) VALUES (?, ?)",
            ((row, _indexed(chunk)) for row, chunk in enumerate(self._chunks)),
        )

    def search(self, question: str, limit: int) -> list[Chunk]:
        """The chunks that match best, equal ones in their order; empty if none shares a part."""
        wanted = [f'"{part}"' for part in dict.fromkeys(parts(question))][:_MAX_PARTS]
        if not wanted:
            return []
        with self._lock:
            rows = self._database.execute(
                "SELECT rowid, round(-bm25(chunks), 6) AS score FROM chunks"
                " WHERE chunks MATCH ? ORDER BY score DESC, rowid LIMIT ?",
                (" OR ".join(wanted), limit),
            ).fetchall()
        return [self._chunks[row] for row, _ in rows]

    def close(self) -> None:
        """Give up the database; nothing can be searched afterwards."""
        with self._lock:
            self._database.close()


def _indexed(chunk: Chunk) -> str:
    return " ".join(parts("\n".join([*chunk.headings, chunk.text])))
