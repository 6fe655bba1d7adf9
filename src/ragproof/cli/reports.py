"""Reports made from a saved run, as files and as a few lines on the terminal."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from ragproof.cli.console import one_line, say
from ragproof.files import replacing, write_text
from ragproof.report.numbers import number
from ragproof.results.runfile import Run

_SHOWN = 10
_LABELS = {
    "pass": ("PASS", "green"),
    "fail": ("FAIL", "red"),
    "error": ("COULD NOT JUDGE", "yellow"),
    "ungated": ("NOT GATED", "yellow"),
}

_MARKS = {"pass": "ok", "fail": "FAIL"}


def write_reports(run: Run, out: Path) -> list[Path]:
    """Write ``report.md`` and ``junit.xml`` into a folder; return their paths.

    Raises:
        StorageError: one cannot be written.
    """
    paths = [out / "report.md", out / "junit.xml"]
    make(run, md=paths[0], junit=paths[1])
    return paths


def make(run: Run, *, md: Path | None, junit: Path | None) -> None:
    """Write the reports that are asked for, reading the run once.

    Raises:
        StorageError: one cannot be written.
    """
    from ragproof.report.junit import JunitReport
    from ragproof.report.render import render_markdown
    from ragproof.report.view import build_view

    with JunitReport(run.head) as tests:
        view = build_view(run.head, tests.through(run.cases()))
        if md is not None:
            write_text(md, render_markdown(view))
        if junit is not None:
            with replacing(junit) as file:
                tests.write(file)


def write_summary_json(run: Run, path: Path) -> None:
    """Write the run without its cases: verdict, metrics and gate.

    Raises:
        StorageError: it cannot be written.
    """
    write_text(path, json.dumps(run.head, indent=2, ensure_ascii=False) + "\n")


def print_summary(run: Run, *, texts: bool = True) -> None:
    """Print verdict, thresholds, metrics, the first failing cases and the first error.

    ``texts=False`` leaves out what the endpoint said.
    """
    head = run.head
    gate = head["gate"] or {"thresholds": [], "allow_failing": {"failing": [], "passing": []}}
    label, colour = _LABELS[head["verdict"]]
    say()
    _print_metrics(head, gate["thresholds"], colour)
    counts, known = head["counts"], gate["allow_failing"]
    say()
    say(
        f"{sum(counts.values())} cases: "
        + ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    )
    _print_failing(run, counts["fail"] - len(known["failing"]))
    if counts["error"]:
        _print_first_error(run, texts)
    _print_known("known to fail", known["failing"])
    _print_known("known to fail, but pass now: take them off gate.allow_failing", known["passing"])
    say()
    say(
        f"{label}" + "".join(f"\n  {one_line(reason)}" for reason in head["reasons"]),
        bold=True,
        colour=colour,
    )


def _print_metrics(
    head: Mapping[str, Any], thresholds: Sequence[Mapping[str, Any]], colour: str
) -> None:
    for row in thresholds:
        ends = [(row[end], sign) for end, sign in (("min", ">="), ("max", "<="))]
        bounds = [(bound, sign) for bound, sign in ends if bound is not None]
        failed = row["outcome"] == "fail"
        value = _metric(row["metric"], row, *(bound for bound, _ in bounds), exact=failed)
        limits = " ".join(f"{sign} {bound:.10g}" for bound, sign in bounds)
        mark = _MARKS.get(row["outcome"], "??")
        say(f"  {mark:<4} {value}  {limits}", colour=None if mark == "ok" else colour)
    gated = {one["metric"] for one in thresholds}
    for row in head["metrics"]:
        if row["name"] not in gated:
            say(f"       {_metric(row['name'], row)}")


def _metric(name: str, row: Mapping[str, Any], *bounds: float, exact: bool = False) -> str:
    value = "-" if row["value"] is None else number(row["value"], *bounds, exact=exact)
    return f"{one_line(name):<38} {value:>8}  ({row['scored']} of {row['of']})"


def _print_failing(run: Run, failing: int) -> None:
    if failing <= 0:
        return
    cases = (
        case for case in run.cases() if case["outcome"] == "fail" and not case.get("known_failure")
    )
    for case in islice(cases, _SHOWN):
        say(f"  {one_line(case['id'], 60)}: {one_line('; '.join(case['reasons']))}")
    if failing > _SHOWN:
        say(f"  ... and {failing - _SHOWN} more")


def _print_first_error(run: Run, texts: bool) -> None:
    """What became of the first case without a response: one tells what is wrong with most."""
    case = next((case for case in run.cases() if case["outcome"] == "error"), None)
    if case is None or not (failure := case.get("failure")):
        return
    said = filter(None, (failure["message"], failure["excerpt"]))
    words = ": ".join(said) if texts else failure["kind"]
    say(f"  {one_line(case['id'], 60)} could not be asked: {one_line(words)}")


def _print_known(what: str, ids: Sequence[str]) -> None:
    if ids:
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        say(f"{what}: {', '.join(one_line(one, 60) for one in ids[:_SHOWN])}{more}")
