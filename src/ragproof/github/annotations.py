"""Annotations: failing cases on their lines of the dataset file, as workflow commands."""

from collections.abc import Iterator
from pathlib import Path

from ragproof.files import within
from ragproof.github.commands import workflow_command
from ragproof.report.escape import visible
from ragproof.report.parts import CaseView, Sample, View
from ragproof.report.untrusted import reveal

MOST = 10
"""The runner shows no more of a level for one step."""
_LENGTH = 1_000


def annotations(view: View, verdict: str, workspace: Path) -> list[str]:
    """Why a gate did not pass, and its worst cases, each on its line of the dataset's file.

    A run that passes has none: what it allows to fail is in the report.
    """
    if verdict not in ("fail", "error"):
        return []
    path = reveal(view.dataset)
    file = within(Path(path), workspace) or path
    head = view.headline
    why = _error(reveal(head.reason), title=head.words)
    return [why, *(_on_case(case, file) for case in view.failing[: MOST - 1])]


def problem(message: str, title: str) -> str:
    """Why there is no run."""
    return _error(message, title=title)


def _on_case(case: CaseView, file: str) -> str:
    reasons = "; ".join(_shown(case.reasons)) or case.outcome
    got = ""
    if case.retrieved is not None and case.expected.shown:
        ids = [reveal(chunk.id) for chunk in case.retrieved.chunks[:3]]
        got = f"\nexpected {', '.join(_shown(case.expected, 3))}; retrieved first: "
        got += ", ".join(ids) or "nothing"
    place: dict[str, str | int] = {"file": file}
    if case.line:
        place["line"] = case.line
    return _error(f"{reasons}{got}", title=f"{reveal(case.id)}: {case.outcome}", **place)


def _shown(sample: Sample, most: int | None = None) -> Iterator[str]:
    return (reveal(text) for text in sample.shown[:most])


def _error(message: str, **properties: str | int) -> str:
    lines = "\n".join(visible(line) for line in message[:_LENGTH].split("\n"))
    clean = {key: visible(one) if isinstance(one, str) else one for key, one in properties.items()}
    return workflow_command("error", lines, **clean)
