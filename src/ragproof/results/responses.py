"""``responses.jsonl``: what the endpoint said, one case a line, in the order it came.

The first line says what was asked, the last how the asking ended. While a run goes on
the file is called ``responses.jsonl.part``; each line is
written within a tenth of a second, so that a kill loses next to nothing that was measured.
"""

import errno
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragproof.endpoint.body import parse
from ragproof.errors import RunFileError, StorageError
from ragproof.files import give_to_owner_of
from ragproof.records import Case, Failure, FailureKind

if TYPE_CHECKING:
    # Scoring saved responses again needs no client.
    from ragproof.endpoint.client import Exchange

SCHEMA = "ragproof.responses/1"
_QUESTION_DIGITS = 16
_BATCH_BYTES = 65_536
_READ_BYTES = 1 << 18
"""Many lines at a time: with the usual 8 KB each line took several calls to the system."""
_MEASURED = (float, int, type(None))


class Head(NamedTuple):
    """What was asked: hash of the set, and scheme, host and port of the endpoint."""

    dataset_hash: str | None
    endpoint: str | None


class Tail(NamedTuple):
    """How the asking ended, and why it did before all cases were asked. A file that was cut
    has none."""

    complete: bool
    duration_s: float | None
    stopped: str = ""


class Saved(NamedTuple):
    """One saved exchange."""

    case_id: str
    question_hash: str | None
    bodies: dict[str, Any]
    latency_s: float | None
    attempts: int
    failure: Failure | None


def question_hash(case: Case) -> str:
    """What ties a saved response to the question that it answers."""
    return hashlib.sha256(case.question.encode("utf-8")).hexdigest()[:_QUESTION_DIGITS]


class ResponsesWriter:
    """Appends exchanges as they come, from any thread.

    Lines are written some at a time, at the latest when :meth:`flush` is called: with one
    call to the system for each, workers would mostly wait for each other. What is written
    together is whole lines, in one ``write`` to a file open for appending.
    """

    def __init__(self, path: Path, head: Head) -> None:
        """
        Raises:
            StorageError: the file cannot be made.
        """
        self._path = path
        self._part = path.with_name(path.name + ".part")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        try:
            self._file = os.open(self._part, flags, 0o666)
            give_to_owner_of(self._part.parent, self._file)
        except OSError as error:
            raise self._cannot_write(error) from None
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._write(_line({"schema": SCHEMA, **head._asdict()}))

    def add(self, case: Case, exchange: "Exchange") -> None:
        """Append one exchange.

        Raises:
            StorageError: the disk is full or the file gone.
        """
        start = _dump(
            {
                "case": case.id,
                "question_sha256": question_hash(case),
                "latency_s": exchange.latency_s,
                "attempts": exchange.attempts,
            }
        )
        parts = [start[:-1]]
        if exchange.failure is not None:
            parts.append(b',"failure":' + _dump(exchange.failure._asdict()))
        # Bodies are JSON already: they go in as received, and are parsed once.
        bodies = b",".join(_dump(name) + b":" + body for name, body in exchange.bodies.items())
        line = b"".join([*parts, b',"bodies":{', bodies, b"}}\n"])
        with self._lock:
            self._waiting.append(line)
            self._waiting_bytes += len(line)
            full = self._waiting_bytes >= _BATCH_BYTES
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what waits.

        Raises:
            StorageError: as :meth:`add`.
        """
        with self._lock:
            lines, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if lines:
            self._write(b"".join(lines))

    def close(self, tail: Tail) -> None:
        """End the file and give it its name.

        Raises:
            StorageError: as :meth:`add`.
        """
        self.flush()
        try:
            self._write(_line({"end": tail._asdict()}))
            os.close(self._file)
            self._part.replace(self._path)
        except OSError as error:
            raise self._cannot_write(error) from None

    def _write(self, lines: bytes) -> None:
        try:
            if os.write(self._file, lines) != len(lines):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise self._cannot_write(error) from None

    def _cannot_write(self, error: OSError) -> StorageError:
        return StorageError(
            f"cannot write {self._part}: {error.strerror or error}",
            "free some space, or name another folder with --out; what was written is still there",
        )


class ResponsesReader:
    """Reads a file of saved exchanges as a stream."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head = Head(None, None)
        self.tail = Tail(complete=False, duration_s=None)

    def __iter__(self) -> Iterator[Saved]:
        """The exchanges, in the order of the file; ``head`` and ``tail`` fill on the way.

        A last line that was cut in the middle is left out: a kill leaves such.

        Raises:
            RunFileError: the file cannot be read, or a line is none of ours.
        """
        try:
            with self.path.open("rb", buffering=_READ_BYTES) as file:
                for number, line in enumerate(file, 1):
                    if line.isspace():
                        continue
                    saved = self._line(line, number)
                    if saved is not None:
                        yield saved
        except OSError as error:
            raise RunFileError(f"cannot read {self.path}: {error.strerror or error}") from None

    def _line(self, line: bytes, number: int) -> Saved | None:
        try:
            value = parse(line)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                return None
            raise self._bad(number, f"not JSON ({error})") from None
        if not isinstance(value, dict):
            raise self._bad(number, "not a JSON object")
        if "schema" in value:
            if value["schema"] != SCHEMA:
                raise self._bad(number, f"its schema is {value['schema']!r}, not {SCHEMA!r}")
            self.head = Head(value.get("dataset_hash"), value.get("endpoint"))
            return None
        if "end" in value:
            self.tail = self._tail(value["end"], number)
            return None
        return self._saved(value, number)

    def _tail(self, end: Any, number: int) -> Tail:
        if not isinstance(end, dict):
            raise self._bad(number, "end is not a JSON object")
        complete, duration = end.get("complete"), end.get("duration_s")
        stopped = end.get("stopped", "")
        if (
            not isinstance(complete, bool)
            or not isinstance(duration, _MEASURED)
            or not isinstance(stopped, str)
        ):
            raise self._bad(number, "complete, duration_s or stopped is missing or wrong")
        return Tail(complete, duration, stopped)

    def _saved(self, value: dict[str, Any], number: int) -> Saved:
        case_id, bodies = value.get("case"), value.get("bodies", {})
        latency, attempts = value.get("latency_s"), value.get("attempts", 1)
        if (
            not isinstance(case_id, str)
            or not isinstance(bodies, dict)
            or not isinstance(latency, _MEASURED)
            or not isinstance(attempts, int)
        ):
            raise self._bad(number, "case, bodies, latency_s or attempts is missing or wrong")
        failure = None
        if (raw := value.get("failure")) is not None:
            try:
                failure = Failure(
                    FailureKind(raw["kind"]), str(raw["message"]), str(raw.get("excerpt", ""))
                )
            except (KeyError, TypeError, ValueError, AttributeError):
                raise self._bad(number, "failure is not one of ours") from None
        return Saved(case_id, value.get("question_sha256"), bodies, latency, attempts, failure)

    def _bad(self, number: int, message: str) -> RunFileError:
        return RunFileError(
            f"{self.path}:{number}: not a line of saved responses: {message}",
            "use the responses.jsonl that `ragproof run` wrote",
        )


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _dump(value: Any) -> bytes:
    return _encode(value).encode("utf-8")


def _line(value: Any) -> bytes:
    return _dump(value) + b"\n"


class Source(NamedTuple):
    """The file that holds the responses of a run: its name and hex SHA-256."""

    file: str
    sha256: str


class Hashing:
    """Hashes a file beside other work: neither reading nor hashing needs the interpreter."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: str | StorageError = ""
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    def source(self) -> Source:
        """The file, once it is hashed.

        Raises:
            StorageError: it cannot be read.
        """
        self._thread.join()
        if isinstance(self._made, StorageError):
            raise self._made
        return Source(self._path.name, self._made)

    def _make(self) -> None:
        try:
            self._made = file_sha256(self._path)
        except StorageError as error:
            self._made = error


def file_sha256(path: Path) -> str:
    """Hex SHA-256 of a file.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from None
