"""``run.json``: the scored run, one case a line, from which all reports are made."""

import contextlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TextIO

import orjson

from ragproof.errors import RunFileError
from ragproof.files import open_regular, read_text, replacing
from ragproof.gate import GateResult, ThresholdResult, Verdict
from ragproof.records import Outcome
from ragproof.results import shape
from ragproof.scoring.table import ScoreTable, Summary
from ragproof.strictjson import StrictJsonError, loads

SCHEMA = "ragproof.run/1"
RUN = "run.json"
MAX_LINE = 16_000_000
MAX_BYTES = 512_000_000
_BEGIN = '"cases":['


def summary_fields(summary: Summary) -> dict[str, Any]:
    """A metric summary as written."""
    return {
        "name": str(summary.ref),
        "value": summary.value,
        "scored": summary.scored,
        "of": summary.of,
        "unscored": summary.unscored,
        "errors": summary.errors,
    }


def gate_fields(result: GateResult, min_coverage: float) -> dict[str, Any] | None:
    """The gate's part of a run as written; ``None`` where nothing was gated."""
    if result.verdict is Verdict.UNGATED:
        return None
    covered = result.coverage >= min_coverage
    return {
        "coverage": {
            "value": result.coverage,
            "min": min_coverage,
            "outcome": "pass" if covered else "error",
        },
        "thresholds": [_threshold_fields(one) for one in result.thresholds],
        "required": [one._asdict() for one in result.required],
        "allow_failing": {"failing": result.still_failing, "passing": result.now_passing},
    }


def _threshold_fields(one: ThresholdResult) -> dict[str, Any]:
    return {
        "metric": str(one.summary.ref),
        "min": one.bounds.min,
        "max": one.bounds.max,
        "value": one.summary.value,
        "scored": one.summary.scored,
        "of": one.summary.of,
        "outcome": one.outcome,
    }


def counts(table: ScoreTable) -> dict[str, int]:
    """Number of cases by outcome."""
    return {outcome.value: table.count(outcome) for outcome in Outcome}


def write_run(path: Path, head: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Write a run: its head on the first line, then one case a line.

    Raises:
        StorageError: the file cannot be written.
    """
    with replacing(path) as file:
        file.write(json.dumps(head, ensure_ascii=False, separators=(",", ":"))[:-1])
        file.write(f",{_BEGIN}")
        separator = "\n"
        for line in lines:
            file.write(separator)
            file.write(line)
            separator = ",\n"
        file.write("\n]}\n")


class Run(Protocol):
    """A scored run: the head at once, cases as a stream on each pass."""

    @property
    def head(self) -> Mapping[str, Any]: ...
    def cases(self) -> Iterator[dict[str, Any]]: ...


class RunFile:
    """A saved run. Whatever wrote it: the head and each case are as :mod:`shape` says.

    ``own``: this process has just written it, so the shape of cases is not checked again.
    """

    def __init__(self, path: Path, *, own: bool = False) -> None:
        """
        Raises:
            RunFileError: it cannot be read, or is no run of a version known here.
        """
        self.path = path
        self._own = own
        self._whole: list[Any] | None = None
        with self._open() as file:
            first = file.readline(MAX_LINE).rstrip()
        if first.endswith(_BEGIN):
            head = self._json(first + "]}", 1)
        else:
            # Not as we write it: another tool laid it out anew, so it is read whole.
            head = self._json(read_text(path, "run", MAX_BYTES, RunFileError), 0)
        if not isinstance(head, dict) or head.get("schema") != SCHEMA:
            raise self._bad(1, f"it does not say that its schema is {SCHEMA!r}")
        cases = head.pop("cases", None)
        if not isinstance(cases, list):
            raise self._bad(1, "it holds no cases")
        if wrong := shape.head(head):
            raise self._bad(1, wrong.lstrip("."))
        if not first.endswith(_BEGIN):
            self._whole = cases
        self.head: dict[str, Any] = head

    def cases(self) -> Iterator[dict[str, Any]]:
        """The cases, in the order of the dataset.

        Raises:
            RunFileError: a line that is no case, or a file that was cut.
        """
        count = 0
        for number, case in self._lines() if self._whole is None else enumerate(self._whole):
            if not self._own and (wrong := shape.case(case)):
                raise self._bad(number, f"case {count + 1}{wrong}")
            count += 1
            yield case
        selected = self.head["dataset"]["selected"]
        if count != selected:
            raise self._bad(0, f"it holds {count} of {selected} cases")

    def _lines(self) -> Iterator[tuple[int, Any]]:
        with self._open() as file:
            file.readline(MAX_LINE)
            number, ended = 1, False
            while line := file.readline(MAX_LINE):
                number += 1
                line = line.strip()
                if ended and line:
                    raise self._bad(number, "more text follows the end")
                if line == "]}":
                    ended = True
                elif line:
                    text = line.removesuffix(",")
                    yield number, orjson.loads(text) if self._own else self._json(text, number)
        if not ended:
            raise self._bad(0, "the file was cut")

    @contextlib.contextmanager
    def _open(self) -> Iterator[TextIO]:
        try:
            with io.TextIOWrapper(
                open_regular(self.path), encoding="utf-8-sig", newline="\n"
            ) as file:
                yield file
        except OSError as error:
            raise RunFileError(
                f"cannot read the run {self.path}: {error.strerror or error}", "check the path"
            ) from None
        except UnicodeDecodeError:
            raise self._bad(0, "it is not UTF-8") from None

    def _json(self, text: str, number: int) -> Any:
        try:
            return loads(text)
        except StrictJsonError as error:
            line = number or text.count("\n", 0, error.pos) + 1
            raise self._bad(line, error.message) from None

    def _bad(self, number: int, message: str) -> RunFileError:
        where = f":{number}" if number else ""
        return RunFileError(
            f"{self.path}{where}: not a run: {message}",
            "use the run.json that `ragproof run` wrote",
        )
