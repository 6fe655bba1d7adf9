"""``run.json``: the scored run, one case a line, from which all reports are made."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragproof.errors import RunFileError
from ragproof.files import replacing
from ragproof.gate import GateResult, ThresholdResult, Verdict
from ragproof.records import Outcome
from ragproof.scoring.table import ScoreTable, Summary

SCHEMA = "ragproof.run/1"
MAX_LINE = 16_000_000


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
        file.write(',"cases":[')
        separator = "\n"
        for line in lines:
            file.write(separator)
            file.write(line)
            separator = ",\n"
        file.write("\n]}\n")


class RunFile:
    """A saved run, read as a stream: the head at once, cases on each pass."""

    def __init__(self, path: Path) -> None:
        """
        Raises:
            RunFileError: it cannot be read, or is no run of a version known here.
        """
        self.path = path
        self._whole: dict[str, Any] | None = None
        try:
            with path.open(encoding="utf-8") as file:
                first = file.readline(MAX_LINE)
            self.head = self._read_head(first)
        except (OSError, UnicodeDecodeError) as error:
            raise RunFileError(f"cannot read the run {path}: {error}", "check the path") from None

    def cases(self) -> Iterator[dict[str, Any]]:
        """The cases, in the order of the dataset.

        Raises:
            RunFileError: a line that is no case, or a file that was cut.
        """
        if self._whole is not None:
            yield from self._whole["cases"]
            return
        ended = False
        with self.path.open(encoding="utf-8") as file:
            file.readline(MAX_LINE)
            for number, line in enumerate(file, 2):
                if line.strip() == "]}":
                    ended = True
                    break
                case = self._json(line.strip().removesuffix(","), number)
                if not isinstance(case, dict) or "id" not in case or "outcome" not in case:
                    raise self._bad(number, "not a case")
                yield case
        if not ended:
            raise self._bad(0, "the file was cut")

    def _read_head(self, first: str) -> dict[str, Any]:
        start = first.rstrip("\r\n")
        if start.endswith('"cases":['):
            head = self._json(start + "]}", 1)
        else:
            # Not as we write it: another tool laid it out anew, so it is read whole.
            head = self._json(self.path.read_text(encoding="utf-8"), 1)
        if not isinstance(head, dict) or head.get("schema") != SCHEMA:
            raise self._bad(1, f"it does not say that its schema is {SCHEMA!r}")
        if not isinstance(head.get("cases"), list):
            raise self._bad(1, "it holds no cases")
        if not start.endswith('"cases":['):
            self._whole = head
        return {key: value for key, value in head.items() if key != "cases"}

    def _json(self, text: str, number: int) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._bad(number, str(error)) from None

    def _bad(self, number: int, message: str) -> RunFileError:
        where = f":{number}" if number else ""
        return RunFileError(
            f"{self.path}{where}: not a run: {message}",
            "use the run.json that `ragproof run` wrote",
        )
