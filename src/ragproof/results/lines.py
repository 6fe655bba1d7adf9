"""One case as a line of ``run.json``, kept on disk until all cases are there."""

import contextlib
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from ragproof.errors import StorageError
from ragproof.records import Case, Chunks, Failure, Outcome, Response
from ragproof.scoring.score import CaseScore

QUESTION_LENGTH = 500
ANSWER_LENGTH = 2000
ID_LENGTH = 300
MIN_RETRIEVED = 10
_BUFFER = 1_000_000
_UNSCORED = CaseScore({}, {}, None)
_NO_RESPONSE = Response()


def case_line(  # noqa: PLR0913 - the parts of one record
    case: Case,
    line: int,
    outcome: Outcome,
    reasons: Sequence[str],
    *,
    response: Response | None,
    score: CaseScore | None,
    failure: Failure | None,
    latency_s: float | None,
    attempts: int,
    retrieved: int,
    known_failure: bool,
) -> bytes:
    """The line for one case, without the comma; texts are cut, at most ``retrieved`` ids."""
    scores, unscored, ranks = score or _UNSCORED
    answer, chunks, _ = response or _NO_RESPONSE
    fields: dict[str, Any] = {
        "id": case.id,
        "kind": case.kind,
        "tags": case.tags,
        "language": case.language,
        "line": line,
        "question": case.question[:QUESTION_LENGTH],
        "outcome": outcome,
        "reasons": reasons,
        "scores": scores,
        "unscored": unscored,
        "expected": case.expected_source_ids,
        "expected_answer": case.expected_answer and case.expected_answer[:ANSWER_LENGTH],
        "retrieved": None if chunks is None else _names(chunks, max(retrieved, MIN_RETRIEVED)),
        "ranks": ranks,
        "answer": answer and answer[:ANSWER_LENGTH],
        "latency_s": latency_s,
        "attempts": attempts,
    }
    if failure is not None:
        fields["failure"] = failure._asdict()
    if known_failure:
        fields["known_failure"] = True
    return orjson.dumps(fields)


def _names(chunks: Chunks, most: int) -> list[str | None]:
    names = chunks.ids[:most]
    if None in names:
        documents = chunks.document_ids[:most]
        names = [
            document if name is None else name
            for name, document in zip(names, documents, strict=True)
        ]
    return [name and name[:ID_LENGTH] for name in names]


class LineStore:
    """Lines by index, written in any order and read in that of the dataset."""

    def __init__(self, size: int, folder: Path | None = None) -> None:
        """
        Raises:
            StorageError: no temporary file can be made in ``folder``.
        """
        self._starts = array("q", [-1]) * size
        self._lengths = array("I", [0]) * size
        self._end = 0
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=_BUFFER)  # noqa: SIM115
        except OSError as error:
            raise self._failed(error) from None

    def put(self, index: int, line: bytes) -> None:
        """Keep the line at ``index``.

        Raises:
            StorageError: the disk is full.
        """
        try:
            self._file.write(line)
        except OSError as error:
            raise self._failed(error) from None
        self._starts[index] = self._end
        self._lengths[index] = len(line)
        self._end += len(line)

    def missing(self) -> Iterator[int]:
        """Indices that hold no line."""
        return (index for index, start in enumerate(self._starts) if start < 0)

    def __iter__(self) -> Iterator[str]:
        """All lines, by index.

        Raises:
            StorageError: the disk is full.
        """
        for start, length in zip(self._starts, self._lengths, strict=True):
            try:
                self._file.seek(start)
                raw = self._file.read(length)
            except OSError as error:
                raise self._failed(error) from None
            yield raw.decode("utf-8")

    def close(self) -> None:
        """Remove the file."""
        self._file.close()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):  # never opened; the disk is full
            self._file.close()

    @staticmethod
    def _failed(error: OSError) -> StorageError:
        return StorageError(
            f"cannot keep results on disk: {error.strerror or error}",
            "free some space, or name another folder with --out",
        )
