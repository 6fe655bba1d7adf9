"""Publishing to GitHub: job summary, comment, outputs, annotations, in this order.

None of it can fail a run: what cannot be published is a warning that says what to change.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ragproof.cli import console
from ragproof.cli.comments import Commenter, tried
from ragproof.errors import ExitCode, RagproofError, UsageError
from ragproof.files import within
from ragproof.github import annotations as notices
from ragproof.github import outputs
from ragproof.github.api import Api
from ragproof.github.changes import Measure, changes_since
from ragproof.github.comment import utf16_length
from ragproof.github.environment import Runner
from ragproof.github.event import WorkflowRun, base_sha_of, pull_request_of, workflow_run_of
from ragproof.report.escape import cut, span
from ragproof.report.parts import Note, Problem, View
from ragproof.report.render import fit, render_problem
from ragproof.report.untrusted import Untrusted
from ragproof.report.view import Context, build_view
from ragproof.results.runfile import Run

SUMMARY_CASES = 50
COMMENT_CASES = 10
_MESSAGE_LENGTH = 5_000
_PASSED = ("pass", "ungated")


class Shown(NamedTuple):
    """What the inputs want to be shown. ``texts=False``: nothing of the dataset, the corpus or
    the endpoint but ids, ranks and scores."""

    summary: bool
    annotations: bool
    texts: bool


class Publisher:
    """Publishes for one step of a workflow. Outside of one there is nowhere to publish to."""

    def __init__(self, runner: Runner, shown: Shown, commenter: Commenter) -> None:
        self._runner = runner
        self._shown = shown
        self._commenter = commenter

    @property
    def api(self) -> Api:
        """GitHub, with the token of the step.

        Raises:
            RagproofError: there is no token, or something about the address cannot be.
        """
        return self._commenter.api

    @property
    def texts(self) -> bool:
        """Whether texts of the dataset, the corpus and the endpoint may be published."""
        return self._shown.texts

    def changes(self, measure: Measure) -> list[Note]:
        """What the change at hand does to its own measure, as far as GitHub tells."""
        runner = self._runner

        def compare() -> list[Note]:
            base = base_sha_of(runner.event_name, runner.payload)
            if base is None:
                return []
            return changes_since(self._commenter.api, base, measure, runner.workspace)

        return tried(compare, [])

    def run(self, run: Run, files: Mapping[str, Path], notes: Sequence[Note]) -> None:
        """Publish a run; ``files`` by the name of their outputs."""
        facts = {"Commit": self._commit(), "Workflow run": self._runner.run_url}
        view = self._view(run, notes, facts, span(self.relative(files["results"])))
        self._summarise(view)
        verdict = run.head["verdict"]
        url = self._commenter.on_change(
            lambda room: _comment(self._elsewhere(view), room), passed=verdict in _PASSED
        )
        self._put({**_values(run), **self._paths(files), "comment-url": url})
        if self._shown.annotations:
            for line in notices.annotations(view, verdict, self._runner.workspace):
                console.command(line)

    def cancelled(self, run: Run, files: Mapping[str, Path]) -> None:
        """Publish what stays on this machine: the runner waits for seconds only."""
        self._summarise(self._view(run, (), {}, span(self.relative(files["results"]))))
        self._put({**_values(run), **self._paths(files)})

    def problem(self, error: RagproofError, doing: str = "judge") -> None:
        """Publish why there is no run; ``doing`` is what it was to do."""
        wrong = error.exit_code is ExitCode.USAGE
        words = "ragproof could not start" if wrong else f"ragproof could not {doing}"
        message = Untrusted(cut(error.message, _MESSAGE_LENGTH))
        hint = Untrusted(cut(error.hint, _MESSAGE_LENGTH)) if error.hint else None
        text = render_problem(Problem("⚠️", words, message, hint))
        self._summary(text)
        url = self._commenter.on_change(lambda room: text, passed=False)
        code = str(int(error.exit_code))
        self._put({"verdict": "error", "exit-code": code, "comment-url": url})
        if self._shown.annotations:
            console.command(notices.problem(f"{error.message}\n{error.hint}".strip(), words))

    def dataset(self, words: str, path: Path, dataset_hash: str, cases: int) -> None:
        """Publish that a dataset was verified or frozen."""
        name = span(self.relative(path))
        self._summary(f"## ✅ {words}\n\n{name}: {cases:,} cases, hash `{dataset_hash}`\n")
        code = str(int(ExitCode.PASS))
        self._put({"exit-code": code, "dataset-hash": dataset_hash, "cases": str(cases)})

    def made(self, text: Callable[[int], str], values: Mapping[str, str]) -> None:
        """Publish what was made, in at most so many bytes, with these outputs."""
        path = self._runner.summary
        if path is not None:
            self._summary(text(outputs.summary_room(path)))
        self._put(values)

    def untrusted(self, run: Run, path: Path) -> None:
        """Comment for a run that had no right to, as those of forks.

        Which pull request it is comes from the event alone. What the run's file says is shown
        as the words of that run.

        Raises:
            RagproofError: the event is not about a run.
        """
        finished = workflow_run_of(self._runner.payload)
        if finished is None:
            raise UsageError(
                "mode: comment is for the event workflow_run, but this is"
                f" {self._runner.event_name or 'none of GitHub'}",
                "see the pair of workflows in docs/action.md",
            )
        page = quote(finished.url, safe=":/")
        note = Note("Untrusted run.", f"What follows are the words of [that run]({page}).")
        facts = {"Commit": finished.head_sha, "Workflow run": finished.url}
        view = self._view(run, (note,), facts, f"the [summary of that run]({page})")
        self._summarise(view)
        url = self._commenter.for_run(
            finished,
            self._name_of(finished),
            lambda room: _comment(view, room),
            passed=run.head["verdict"] in _PASSED,
        )
        self._put({"results": self.relative(path), "comment-url": url})

    def _view(self, run: Run, notes: Sequence[Note], facts: Mapping[str, str], whole: str) -> View:
        context = Context(tuple(notes), {key: text for key, text in facts.items() if text}, whole)
        return build_view(
            run.head,
            run.cases(),
            max_cases=SUMMARY_CASES,
            texts=self._shown.texts,
            context=context,
        )

    def _elsewhere(self, view: View) -> View:
        """The view for a comment, whose readers are one click away from the job summary."""
        page = self._runner.run_url
        if not page or not self._shown.summary:
            return view
        return replace(view, whole=f"the [job summary]({page})")

    def _summarise(self, view: View) -> None:
        path = self._runner.summary
        if path is not None:
            self._summary(fit(view, outputs.summary_room(path), _bytes))

    def _summary(self, text: str) -> None:
        path = self._runner.summary
        if path is not None and self._shown.summary:
            tried(lambda: outputs.append(path, console.redacted(text)), None)

    def _put(self, values: Mapping[str, str]) -> None:
        path = self._runner.output
        if path is not None:
            clean = {name: console.redacted(value) for name, value in values.items()}
            tried(lambda: outputs.append(path, outputs.format_outputs(clean)), None)

    def _paths(self, files: Mapping[str, Path]) -> dict[str, str]:
        return {name: self.relative(path) for name, path in files.items() if path.exists()}

    def relative(self, path: Path) -> str:
        """A path as it is named from the workspace."""
        return within(path, self._runner.workspace) or str(path)

    def _commit(self) -> str:
        """The commit that is judged: of a pull request its head, not the merge that is built."""
        runner = self._runner
        pull_request = tried(lambda: pull_request_of(runner.event_name, runner.payload), None)
        return runner.sha if pull_request is None else pull_request.head_sha

    def _name_of(self, finished: WorkflowRun) -> str:
        """Name of the workflow of another run, as it stands in the event."""
        name = self._runner.payload["workflow_run"].get("name")
        return name if isinstance(name, str) else str(finished.id)


def _comment(view: View, room: int) -> str:
    return fit(view.limited_to(COMMENT_CASES), room, utf16_length)


def _values(run: Run) -> dict[str, str]:
    head = run.head
    return {
        "verdict": head["verdict"],
        "exit-code": str(head["exit_code"]),
        "dataset-hash": head["dataset"]["hash"],
        "cases": str(sum(head["counts"].values())),
        "failed-cases": str(head["counts"]["fail"]),
        "scores": json.dumps({row["name"]: row["value"] for row in head["metrics"]}),
    }


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
