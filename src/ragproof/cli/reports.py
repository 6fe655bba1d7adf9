"""Reports made from a saved run, as files and as a few lines on the terminal."""

import json
from collections.abc import Mapping
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
    """Write ``report.md`` and ``junit.xml`` into a folder; return their paths."""
    paths = [out / "report.md", out / "junit.xml"]
    write_markdown(run, paths[0])
    write_junit_file(run, paths[1])
    return paths


def write_markdown(run: RunFile, path: Path) -> None:
    """Write the Markdown report.

    Raises:
        StorageError: it cannot be written.
    """
    from ragproof.report.render import render_markdown
    from ragproof.report.view import build_view

    write_text(path, render_markdown(build_view(run.head, run.cases())))


def write_junit_file(run: RunFile, path: Path) -> None:
    """Write the JUnit report.

    Raises:
        StorageError: it cannot be written.
    """
    from ragproof.report.junit import write_junit

    with replacing(path) as file:
        write_junit(run.head, run.cases, file)


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
    _print_failing(run)
    say()
    say(
        f"{label}" + "".join(f"\n  {reason}" for reason in head["reasons"]),
        bold=True,
        colour=colour,
    )


def _metric(name: str, row: dict[str, Any]) -> str:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    return f"{name:<38} {value:>8}  ({row['scored']} of {row['of']})"


def _print_failing(run: RunFile) -> None:
    if not run.head["counts"]["fail"]:
        return
    shown = 0
    for case in run.cases():
        if case["outcome"] == "fail" and not case.get("known_failure"):
            shown += 1
            if shown <= _SHOWN:
                say(f"  {case['id'][:60]}: {'; '.join(case['reasons'])}")
    if shown > _SHOWN:
        say(f"  ... and {shown - _SHOWN} more")
