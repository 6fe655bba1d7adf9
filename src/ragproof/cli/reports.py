"""Reports made from a saved run, as files and as a few lines on the terminal."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from ragproof.cli.console import say
from ragproof.files import replacing, write_text
from ragproof.results.runfile import RunFile

_SHOWN = 10
_LABELS = {
    "pass": ("PASS", "green"),
    "fail": ("FAIL", "red"),
    "error": ("COULD NOT JUDGE", "yellow"),
    "ungated": ("NOT GATED", "yellow"),
}


def write_reports(run: RunFile, out: Path) -> list[Path]:
    """Write ``report.md`` and ``junit.xml`` into a folder; return their paths.

    Raises:
        StorageError: one cannot be written.
    """
    paths = [out / "report.md", out / "junit.xml"]
    make(run, md=paths[0], junit=paths[1])
    return paths


def make(run: RunFile, *, md: Path | None, junit: Path | None) -> None:
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


def write_summary_json(run: RunFile, path: Path) -> None:
    """Write the run without its cases: verdict, metrics and gate.

    Raises:
        StorageError: it cannot be written.
    """
    write_text(path, json.dumps(run.head, indent=2, ensure_ascii=False) + "\n")


def print_summary(run: RunFile, head: Mapping[str, Any] | None = None) -> None:
    """Print verdict, thresholds, metrics and the first failing cases.

    ``head`` stands in for the run's own where it was judged anew.
    """
    head = head or run.head
    gate = head["gate"] or {"thresholds": []}
    gated = {one["metric"] for one in gate["thresholds"]}
    label, colour = _LABELS[head["verdict"]]
    say()
    for row in gate["thresholds"]:
        bounds = " ".join(
            f"{sign} {row[end]:g}"
            for end, sign in (("min", ">="), ("max", "<="))
            if row[end] is not None
        )
        mark = {"pass": "ok  ", "fail": "FAIL", "error": "??  "}[row["outcome"]]
        say(
            f"  {mark} {_metric(row['metric'], row)}  {bounds}",
            colour=None if row["outcome"] == "pass" else colour,
        )
    for row in head["metrics"]:
        if row["name"] not in gated:
            say(f"       {_metric(row['name'], row)}")
    counts = head["counts"]
    say()
    say(
        f"{sum(counts.values())} cases: "
        + ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    )
    _print_failing(run, counts)
    say()
    say(
        f"{label}" + "".join(f"\n  {reason}" for reason in head["reasons"]),
        bold=True,
        colour=colour,
    )


def _metric(name: str, row: dict[str, Any]) -> str:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    return f"{name:<38} {value:>8}  ({row['scored']} of {row['of']})"


def _print_failing(run: RunFile, counts: Mapping[str, int]) -> None:
    known = (run.head["gate"] or {}).get("allow_failing", {}).get("failing", ())
    failing = counts["fail"] - len(known)
    if failing <= 0:
        return
    cases = (
        case for case in run.cases() if case["outcome"] == "fail" and not case.get("known_failure")
    )
    for case in islice(cases, _SHOWN):
        say(f"  {case['id'][:60]}: {'; '.join(case['reasons'])}")
    if failing > _SHOWN:
        say(f"  ... and {failing - _SHOWN} more")
