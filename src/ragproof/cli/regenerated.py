"""What is published about a dataset that was made anew: summary, outputs, files, pull request."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from ragproof.cli import console
from ragproof.cli.proposing import Proposer, Result
from ragproof.cli.publishing import Publisher
from ragproof.dataset.diff import DatasetDiff, diff_datasets
from ragproof.errors import ExitCode
from ragproof.files import make_folder, replacing, write_text
from ragproof.github.comment import utf16_length
from ragproof.github.environment import Runner
from ragproof.report.escape import plain, span
from ragproof.report.parts import Note, Regenerated
from ragproof.report.regenerated import (
    build_regenerated,
    difference,
    fit_regenerated,
    missing,
)

if TYPE_CHECKING:
    from ragproof.dataset.load import Dataset

BODY = 65_000
"""Characters of UTF-16. GitHub takes 65,536."""
_REPORT = "report.md"
_BOT = Note(
    "It was opened with the default token,",
    "for whose pull requests GitHub starts no workflow until somebody lets it: approve the runs on"
    " its page, or close and open it again. With the token of an App as `github-token` they start"
    " by themselves.",
)


class Made(NamedTuple):
    """A set that was made: the file for people to review, the frozen one, the ledger, and both
    sets to compare. ``before`` is ``None`` where there was none."""

    review: Path
    frozen: Path
    ledger: Path
    account: Mapping[str, Any]
    before: "Dataset | None"
    after: "Dataset"

    @property
    def files(self) -> tuple[Path, ...]:
        """What belongs into the repository."""
        return (self.review, self.frozen, self.ledger)

    def diff(self) -> DatasetDiff:
        """What changed."""
        return diff_datasets(() if self.before is None else self.before.cases, self.after.cases)


def publish(
    made: Made,
    corpus: str,
    folder: Path,
    runner: Runner,
    publisher: Publisher,
    proposer: Proposer | None,
) -> int:
    """Keep the files for upload in ``folder``, propose the set, and publish what became of it.

    Returns the exit code: what cannot be proposed is an error, after all else is published.
    """
    keep(made.files, folder)
    view = _view(made, corpus, runner, publisher)
    done = None
    if proposer is not None:
        body = _body(view, made, publisher)
        more = (made.review, made.ledger)
        done = proposer.propose(made.frozen, more, difference(made.diff()), body)
    text = _headline(done, proposer)
    write_text(folder / _REPORT, console.redacted(text + _fit(view, 1_000_000)))
    code = ExitCode.PASS if done is None or done.problem is None else ExitCode.ERROR
    publisher.made(
        lambda room: text + _fit(view, room - len(text.encode())),
        {
            "exit-code": str(int(code)),
            "dataset-hash": made.after.hash,
            "cases": str(len(made.after.cases)),
            "summary-path": publisher.relative(folder / _REPORT),
            "pull-request-url": "" if done is None else done.url,
        },
    )
    for name, count in missing(made.account).items():
        console.alert(f"{count} of the {name} cases that were asked for are missing")
    if done is not None and done.problem is not None:
        problem = done.problem
        console.alert(f"{problem.message}\n{problem.hint}".strip(), "error")
    return int(code)


def keep(files: tuple[Path, ...], folder: Path) -> None:
    """Copy files, as far as they are there, to where the results of a step are."""
    make_folder(folder)
    for path in files:
        target = folder / path.name
        if path.exists() and path.resolve() != target.resolve():
            with path.open(encoding="utf-8") as source, replacing(target) as file:
                shutil.copyfileobj(source, file)


def _view(made: Made, corpus: str, runner: Runner, publisher: Publisher) -> Regenerated:
    return build_regenerated(
        made.account,
        () if made.before is None else made.before.cases,
        made.after.cases,
        made.diff(),
        dataset=publisher.relative(made.frozen),
        dataset_hash=made.after.hash,
        texts=publisher.texts,
        facts={"Corpus of": corpus, "Commit": runner.sha, "Workflow run": runner.run_url},
        whole=span(publisher.relative(made.ledger)),
    )


def _headline(done: Result | None, proposer: Proposer | None) -> str:
    parts = ["## ✅ ragproof regenerated the dataset"]
    if done is not None and proposer is not None:
        if done.problem is not None:
            parts[0] = "## ⚠️ ragproof regenerated the dataset but could not propose it"
            parts.append(plain(done.problem.message))
            parts.append(f"**What to do:** {plain(done.problem.hint)}" if done.problem.hint else "")
            parts.append(f"Or [open the pull request by hand]({proposer.by_hand()}).")
        if done.url:
            parts.append(f"**Pull request:** {quote(done.url, safe=':/')}")
        if done.note:
            parts.append(f"Nothing was proposed: {plain(done.note)}.")
        if done.bot:
            parts.append(f"> [!NOTE]\n> **{_BOT.label}** {_BOT.words}")
    return "\n\n".join(filter(None, parts)) + "\n\n"


def _body(view: Regenerated, made: Made, publisher: Publisher) -> str:
    """What the pull request says: the same, and what to do with it."""
    review = publisher.relative(made.review)
    text = (
        f"To change a case, edit {span(review)}, run {span(f'ragproof freeze {review}')} and commit"
        " both files; from then on ragproof leaves this branch alone. Read what was added as you"
        " would read code.\n\n"
    )
    return text + _fit(view, BODY - len(text), utf16_length)


def _fit(view: Regenerated, room: int, size: Any = None) -> str:
    return fit_regenerated(view, room, size or _bytes)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
