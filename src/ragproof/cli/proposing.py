"""Proposing a dataset that was made anew: whether that can be done, and doing it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ragproof.cli import console
from ragproof.errors import RagproofError, UsageError
from ragproof.github.api import Api
from ragproof.github.environment import Runner
from ragproof.github.proposal import Proposal, check_branch, propose

TITLE = "Regenerate the evaluation dataset"


class Result(NamedTuple):
    """What became of a proposal: its address, why there is none, or what went wrong.

    ``bot`` says that the default token opened it, for whose pull requests nothing is run.
    """

    url: str
    note: str = ""
    problem: RagproofError | None = None
    bot: bool = False


class Proposer:
    """Proposes files to the branch that the workflow runs on."""

    def __init__(self, runner: Runner, api: Api, branch: str) -> None:
        self._runner = runner
        self._api = api
        self._branch = branch

    def check(self, path: Path) -> None:
        """See that a file at ``path`` can be proposed, before any work is done for it.

        Raises:
            RagproofError: it cannot.
        """
        runner = self._runner
        if not runner.branch:
            event = f"the event {runner.event_name}" if runner.event_name else "this run"
            raise UsageError(
                f"{event} is about no branch that something could be proposed to",
                "run mode: generate on workflow_dispatch or schedule, or set propose: false",
            )
        self._place(path)
        check_branch(self._api, self._branch, runner.branch)

    def propose(self, core: Path, more: tuple[Path, ...], summary: str, body: str) -> Result:
        """Propose files as they are on this machine, unless the repository has the ``core`` so.

        Args:
            summary: What changed, a line.
            body: Markdown.
        """
        runner = self._runner
        try:
            proposal = Proposal(
                branch=self._branch,
                base=runner.branch,
                commit=runner.sha,
                files=self._contents((core, *more)),
                core=frozenset({self._place(core)}),
                title=TITLE,
                message=f"{TITLE}\n\n{summary}",
                body=console.redacted(body),
                run_id=runner.run_id,
                attempt=runner.attempt,
            )
            done = propose(self._api, proposal)
        except RagproofError as error:
            return Result("", problem=error)
        return Result(done.url or "", done.note, bot=done.bot)

    def by_hand(self) -> str:
        """The page where people can open the pull request themselves."""
        runner = self._runner
        ends = f"{quote(runner.branch)}...{quote(self._branch)}"
        return f"{runner.server_url}/{runner.repository}/compare/{ends}?expand=1"

    def _contents(self, files: tuple[Path, ...]) -> Mapping[str, bytes]:
        return {self._place(path): path.read_bytes() for path in files}

    def _place(self, path: Path) -> str:
        """The place of a file in the repository; of a link that of what it leads to."""
        top = Path(os.path.realpath(self._runner.workspace))
        full = Path(os.path.realpath(path))
        if not full.is_relative_to(top) or ".git" in full.relative_to(top).parts:
            raise UsageError(
                f"{path} is no place in the repository", "name one with out, or set propose: false"
            )
        return full.relative_to(top).as_posix()
