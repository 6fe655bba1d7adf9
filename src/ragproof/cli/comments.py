"""The comment on a pull request: when there is one, on which, and what to say if not."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, TypeVar

from ragproof.cli import console
from ragproof.errors import RagproofError, UsageError
from ragproof.github.api import Api
from ragproof.github.environment import Runner
from ragproof.github.event import PullRequest, WorkflowRun, pull_request_of

LENGTH = 65_000
"""Characters of UTF-16. GitHub takes 65,536."""

Body = Callable[[int], str]
"""Makes the text of a comment that is no longer than so many characters."""

_T = TypeVar("_T")


class Policy(NamedTuple):
    """What the inputs say. ``comment`` is auto, always, on-failure or never; without a
    ``key`` it is that of the job."""

    comment: str
    key: str
    author: str


class Commenter:
    """Keeps the comments of one step of a workflow."""

    def __init__(self, runner: Runner, policy: Policy, token: str) -> None:
        self._runner = runner
        self._policy = policy
        self._token = token

    @cached_property
    def api(self) -> Api:
        """GitHub, by the address that the environment names.

        Raises:
            RagproofError: no token, or an address, proxy or certificate that cannot be.
        """
        import requests

        from ragproof.cli.network import read_network

        runner = self._runner
        network = read_network(runner.api_url)
        session = requests.Session()
        session.trust_env = False
        session.proxies.update(network.proxies)
        session.verify = network.verify
        return Api(runner.api_url, runner.repository, self._token, session=session)

    def on_change(self, body: Body, *, passed: bool) -> str:
        """Comment on the pull request that the event is about; return the comment's address."""
        return tried(lambda: self._on_change(body, passed), "")

    def for_run(self, finished: WorkflowRun, name: str, body: Body, *, passed: bool) -> str:
        """Comment on the pull requests that another run, of the workflow ``name``, was for."""
        return tried(lambda: self._for_run(finished, name, body, passed), "")

    def _on_change(self, body: Body, passed: bool) -> str:
        if self._policy.comment == "never":
            return ""
        runner = self._runner
        pull_request = pull_request_of(runner.event_name, runner.payload)
        if pull_request is not None:
            return self._keep(
                pull_request, runner.workflow, runner.run_id, runner.attempt, body, passed
            )
        if self._policy.comment == "always":
            event = f"the event {runner.event_name}" if runner.event_name else "this run"
            raise UsageError(f"{event} belongs to no pull request", "use comment: auto")
        return ""

    def _for_run(self, finished: WorkflowRun, name: str, body: Body, passed: bool) -> str:
        from ragproof.github.comment import find_pull_requests

        if self._policy.comment == "never":
            return ""
        found = find_pull_requests(self.api, finished)
        if not found:
            console.tell("no comment written: no open pull request is at the commit of that run")
        urls = [self._keep(one, name, finished.id, finished.attempt, body, passed) for one in found]
        return next(filter(None, urls), "")

    def _keep(
        self, on: PullRequest, workflow: str, run_id: int, attempt: int, body: Body, passed: bool
    ) -> str:
        from ragproof.github.comment import keep_comment, room_for
        from ragproof.github.marker import Marker

        key = self._policy.key or f"{workflow}/{self._runner.job}"
        marker = Marker(key, on.head_sha, run_id, attempt)
        text = console.redacted(body(min(LENGTH, room_for(marker))))
        create = not (passed and self._policy.comment == "on-failure")
        author = self._policy.author
        posted = keep_comment(self.api, on.number, text, marker, author, create=create)
        if posted.note:
            console.tell(f"no comment written: {posted.note}")
        return posted.url or ""


def tried(act: Callable[[], _T], otherwise: _T) -> _T:
    """What ``act`` returns; where it cannot be done a warning and ``otherwise``, for nothing
    that is only published may fail a run."""
    try:
        return act()
    except RagproofError as error:
        console.alert(f"{error.message}\n{error.hint}".strip())
        return otherwise
