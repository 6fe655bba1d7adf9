"""A run as JUnit XML: one test a case, one a threshold, and one for the verdict.

The verdict is a test of its own so that the file is never greener than the gate.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Self, TextIO

from ragproof.records import Outcome
from ragproof.report.escape import collapse, cut, visible, xml_text
from ragproof.report.numbers import number, threshold, unit

MESSAGE_LENGTH = 300
BODY_LENGTH = 4_000

_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    # A reader turns white space inside an attribute into spaces unless it is written so.
    | {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_HARMLESS = re.compile(r"[A-Za-z0-9 .,:;/@#_()=-]*")
_GATE = "ragproof.gate"
_PASS = Outcome.PASS
_Judged = tuple[str, str, tuple[str, ...]]
_PASSED: _Judged = ("", "", ())


class Test(NamedTuple):
    """One ``<testcase>``. ``result`` is the element inside it, empty when it passed."""

    classname: str
    name: str
    seconds: float = 0.0
    result: str = ""
    type: str = ""
    reasons: tuple[str, ...] = ()


class JunitReport:
    """Gathers tests while a run streams by; the counts stand in front, so they come last.

    ``texts=False`` leaves out what the endpoint said. Use as a context manager.
    """

    def __init__(self, head: Mapping[str, Any], *, texts: bool = True) -> None:
        self._texts = texts
        self._duration = head["responses"]["duration_s"]
        self._counts: Counter[str] = Counter()
        self._seconds = 0.0
        self._body = TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by __exit__
        for test in _gate_tests(head):
            self._add(test)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._body.close()

    def through(self, cases: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Take the cases and hand them on, so that one reading serves several reports."""
        texts = self._texts
        for case in cases:
            self._add(_case(case, texts))
            yield case

    def write(self, out: TextIO) -> None:
        """Write the report on all cases taken."""
        counts = self._counts
        seconds = self._seconds if self._duration is None else self._duration
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write(
            f'<testsuite name="ragproof" tests="{counts.total()}" failures="{counts["failure"]}"'
            f' errors="{counts["error"]}" skipped="{counts["skipped"]}" time="{seconds:.3f}">\n'
        )
        self._body.seek(0)
        copyfileobj(self._body, out)
        out.write("</testsuite>\n")

    def _add(self, test: Test) -> None:
        self._counts[test.result] += 1
        self._seconds += test.seconds
        self._body.write(_element(test))


def write_junit(
    head: Mapping[str, Any],
    cases: Iterable[Mapping[str, Any]],
    out: TextIO,
    *,
    texts: bool = True,
) -> None:
    """Write the report of one run."""
    with JunitReport(head, texts=texts) as report:
        for _ in report.through(cases):
            pass
        report.write(out)


def _gate_tests(head: Mapping[str, Any]) -> Iterator[Test]:
    yield _verdict(head)
    gate = head["gate"] or {}
    if coverage := gate.get("coverage"):
        yield _threshold("coverage", {**coverage, "max": None})
    for entry in gate.get("thresholds", ()):
        yield _threshold(entry["metric"], entry)


def _verdict(head: Mapping[str, Any]) -> Test:
    result = {"fail": "failure", "error": "error"}.get(head["verdict"], "")
    return Test(_GATE, "verdict", 0.0, result, "verdict", tuple(head["reasons"]))


def _threshold(name: str, entry: Mapping[str, Any]) -> Test:
    outcome = Outcome(entry["outcome"])
    if outcome is Outcome.PASS:
        return Test(_GATE, name)
    needed = f"{threshold(entry['min'], entry['max'])}{unit(name)} is needed"
    if entry["value"] is None:
        return Test(_GATE, name, 0.0, "error", "threshold", (f"not measured, {needed}",))
    bounds = [bound for bound in (entry["min"], entry["max"]) if bound is not None]
    value = number(entry["value"], *bounds, exact=True) + unit(name)
    result = "failure" if outcome is Outcome.FAIL else "error"
    return Test(_GATE, name, 0.0, result, "threshold", (f"{value}, {needed}",))


def _case(case: Mapping[str, Any], texts: bool) -> Test:
    result, kind, reasons = _PASSED if case["outcome"] == _PASS else _judged(case, texts)
    classname = f"ragproof.{case['kind']}"
    return Test(classname, case["id"], case["latency_s"] or 0.0, result, kind, reasons)


def _judged(case: Mapping[str, Any], texts: bool) -> _Judged:
    """What became of a case that did not pass: element, type and reasons."""
    reasons = tuple(case["reasons"])
    match case["outcome"]:
        case Outcome.FAIL if case.get("known_failure"):
            return "skipped", "", ("known failure", *reasons)
        case Outcome.FAIL:
            return "failure", "case_pass", reasons
        case Outcome.ERROR:
            failure = case.get("failure") or {}
            kind = failure.get("kind", "unknown")
            said = tuple(filter(None, (failure.get("message"), failure.get("excerpt"))))
            told = said if texts and said else (kind,)
            return "error", kind, (*reasons, *told)
        case _:
            why = (f"{metric}: {reason}" for metric, reason in case["unscored"].items())
            return "skipped", "", (*reasons, *why) or ("not scored",)


def _element(test: Test) -> str:
    classname, name, seconds, result, kind, reasons = test
    opening = f'{_opening(classname)} name={_quoted(name)} time="{seconds:.3f}"'
    if not result:
        return f"{opening}/>\n"
    return f"{opening}>\n{_inside(result, kind, reasons)}\n</testcase>\n"


@lru_cache(maxsize=16)
def _opening(classname: str) -> str:
    return f"<testcase classname={_quoted(classname)}"


@lru_cache(maxsize=256)  # most cases that do not pass say why in the same few words
def _inside(result: str, kind: str, reasons: tuple[str, ...]) -> str:
    message = cut(collapse(reasons[0]) if reasons else "", MESSAGE_LENGTH)
    attribute = f" type={_quoted(kind)}" if kind else ""
    body = cut("\n".join(reasons), BODY_LENGTH).split("\n")
    text = "\n".join(_escaped(visible(line)) for line in body)
    return f"<{result} message={_quoted(visible(message))}{attribute}>{text}</{result}>"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    if _HARMLESS.fullmatch(text):
        return text  # as nearly every name
    return xml_text(text).translate(_MARKUP)
