"""What the event that started a workflow says about commits and pull requests.

A payload is JSON that GitHub wrote, with names in it that anyone may choose. What a payload
does not have is ``None``; what it has in a shape that cannot be is an :class:`EventError`.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragproof.errors import RagproofError

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_NAME = re.compile(r"[a-z_]+")
_URL = re.compile(r"https?://[!-~]+")


class EventError(RagproofError):
    """The payload of the event is not of the shape that GitHub sends."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the payload of the event holds no usable {path}",
            "see that GITHUB_EVENT_PATH names the file that the runner wrote",
        )


class PullRequest(NamedTuple):
    """A pull request: its number and the commits at both ends.

    ``from_fork``: the head is in another repository than the base, or in one that is gone.
    """

    number: int
    head_sha: str
    base_sha: str
    from_fork: bool


class WorkflowRun(NamedTuple):
    """The run that a ``workflow_run`` event reports.

    ``head_repository`` is ``OWNER/NAME``, and ``head_owner`` its owner; ``head_branch`` may
    hold any character that Git allows. ``event`` is what started that run.
    """

    id: int
    attempt: int
    head_sha: str
    head_owner: str
    head_branch: str
    head_repository: str
    url: str
    event: str


def pull_request_of(event_name: str, payload: Mapping[str, Any]) -> PullRequest | None:
    """The pull request that an event is about; ``None`` if it is about none.

    Comments on a pull request name no commit, so they are about none.

    Raises:
        EventError: the event is about one but does not describe it.
    """
    found = _maybe(payload, "pull_request")
    if found is not None:
        return pull_request_from(found)
    if event_name in ("pull_request", "pull_request_target"):
        raise EventError("pull_request")
    return None


def pull_request_from(value: Any) -> PullRequest:
    """A pull request as GitHub describes it, in payloads and in replies of its API.

    Raises:
        EventError: the description lacks something.
    """
    path = "pull_request"
    number = _count(_maybe(value, "number"), f"{path}.number")
    head = _text(_maybe(value, "head", "sha"), _SHA, f"{path}.head.sha")
    base = _text(_maybe(value, "base", "sha"), _SHA, f"{path}.base.sha")
    head_repository = full_name(_maybe(value, "head", "repo"))
    base_repository = full_name(_maybe(value, "base", "repo"))
    return PullRequest(number, head, base, not same_name(head_repository, base_repository))


def workflow_run_of(payload: Mapping[str, Any]) -> WorkflowRun | None:
    """The run that ended; ``None`` if the event is about none.

    Deployments name the run that made them, without a head repository: they are about none.

    Raises:
        EventError: it is about one but does not describe it. So it is when the fork that
            the run was of has been deleted.
    """
    path = "workflow_run"
    run = _maybe(payload, path)
    if run is None or (isinstance(run, Mapping) and "head_repository" not in run):
        return None
    repository = full_name(_maybe(run, "head_repository"))
    if repository is None:
        raise EventError(f"{path}.head_repository.full_name")
    return WorkflowRun(
        id=_count(_maybe(run, "id"), f"{path}.id"),
        attempt=_count(_maybe(run, "run_attempt"), f"{path}.run_attempt"),
        head_sha=_text(_maybe(run, "head_sha"), _SHA, f"{path}.head_sha"),
        head_owner=repository.partition("/")[0],
        head_branch=_branch(_maybe(run, "head_branch"), f"{path}.head_branch"),
        head_repository=repository,
        url=_text(_maybe(run, "html_url"), _URL, f"{path}.html_url"),
        event=_text(_maybe(run, "event"), _NAME, f"{path}.event"),
    )


def base_sha_of(event_name: str, payload: Mapping[str, Any]) -> str | None:
    """The commit that a change is to be merged into; ``None`` if the event is no such change.

    Raises:
        EventError: the event has one but does not say which.
    """
    if event_name == "merge_group":
        path = "merge_group.base_sha"
        return _text(_maybe(payload, *path.split(".")), _SHA, path)
    pull_request = pull_request_of(event_name, payload)
    return None if pull_request is None else pull_request.base_sha


def runs_foreign_code(event_name: str, payload: Mapping[str, Any]) -> bool:
    """Whether the event gives a run for someone else's change the rights of this repository.

    So does ``pull_request_target``, and ``workflow_run`` of a run whose head is in another
    repository, or in one that the payload does not name. A checkout of that head, its
    configuration and its dataset are then not to be trusted with secrets.
    """
    if event_name == "pull_request_target":
        return True
    if event_name != "workflow_run":
        return False
    head = full_name(_maybe(payload, "workflow_run", "head_repository"))
    return not same_name(head, full_name(_maybe(payload, "repository")))


def full_name(repository: Any) -> str | None:
    """``OWNER/NAME`` of a repository as GitHub describes it; ``None`` if it does not say."""
    name = _maybe(repository, "full_name")
    return name if isinstance(name, str) and is_repository(name) else None


def is_repository(name: str) -> bool:
    """Whether a name is of the shape ``OWNER/NAME`` and leads nowhere else in a path."""
    return _REPOSITORY.fullmatch(name) is not None and not {".", ".."} & set(name.split("/"))


def same_name(one: str | None, other: str | None) -> bool:
    """Whether two names of owners or repositories are known and mean the same, in any case."""
    return one is not None and other is not None and one.lower() == other.lower()


def _maybe(value: Any, *keys: str) -> Any:
    """What stands in nested objects under these keys; ``None`` where one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _count(value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        raise EventError(path)
    return value


def _text(value: Any, shape: re.Pattern[str], path: str) -> str:
    if not isinstance(value, str) or shape.fullmatch(value) is None:
        raise EventError(path)
    return value


def _branch(value: Any, path: str) -> str:
    """A name of a branch. Git allows no control characters, and GitHub sends UTF-8."""
    if not isinstance(value, str) or not value or any(c < " " or c == "\x7f" for c in value):
        raise EventError(path)
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise EventError(path)
    return value
