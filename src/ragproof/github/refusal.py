"""What GitHub means by turning a call down, and what to do about it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from ragproof.errors import RagproofError

_SECONDARY_WAIT_S = 60.0
"""What GitHub asks to wait at a secondary rate limit if its reply does not say."""
_MAX_DIGITS = 12
_LATEST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_SECONDARY = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)
_PERMISSION = re.compile(
    r"not accessible by|not permitted to|must have .*(rights|access)", re.IGNORECASE
)
_NO_PULLS = re.compile(r"not permitted to create or approve pull requests", re.IGNORECASE)
_LOCKED = re.compile(r"\blocked\b|\barchived\b", re.IGNORECASE)
_CHECK_ADDRESS = "see that GITHUB_API_URL is the address of GitHub's API"


class ApiError(RagproofError):
    """A call to GitHub's API came to nothing.

    ``status`` is the HTTP status, or ``None`` if there was no reply or no call. ``passing``
    says that the same call may succeed later, ``wait_s`` how many seconds later if GitHub
    says so. After a call that writes, ``passing`` leaves open whether it has written.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        status: int | None = None,
        passing: bool = False,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.passing = passing
        self.wait_s = wait_s


_FOR_FORKS = (
    "a pull request from a fork or by Dependabot gets a read-only token whatever that says, so let"
    " the pair of workflows in docs/action.md (pull_request and workflow_run) write for it"
)
_FOR_CALLED = "a workflow that is called gets no more than the job that calls it"


class Purpose(NamedTuple):
    """What a call is for, as an infinitive, and the permission that it needs; ``besides`` says
    what can be in the way although it was given."""

    doing: str
    permission: str
    besides: str = ""


_STORE = Purpose("store the new files", "contents: write", _FOR_CALLED)
_BRANCH = Purpose("move the branch of the proposal", "contents: write", _FOR_CALLED)
_PURPOSES = (
    ("GET", r"/issues/\d+/comments", Purpose("list the comments", "pull-requests: read")),
    (
        "POST",
        r"/issues/\d+/comments",
        Purpose("write a comment", "pull-requests: write", _FOR_FORKS),
    ),
    (
        "PATCH",
        r"/issues/comments/\d+",
        Purpose("update the comment", "pull-requests: write", _FOR_FORKS),
    ),
    ("GET", r"/pulls", Purpose("find the pull request", "pull-requests: read")),
    ("GET", r"/pulls/\d+", Purpose("read the pull request", "pull-requests: read")),
    ("GET", r"/contents/.*", Purpose("read a file of the repository", "contents: read")),
    ("GET", r"/git/ref/heads/.*", Purpose("say where the branch is", "contents: read")),
    ("GET", r"/git/commits/.*", Purpose("read a commit", "contents: read")),
    ("POST", r"/git/(blobs|trees|commits)", _STORE),
    ("POST", r"/git/refs", _BRANCH),
    ("PATCH", r"/git/refs/heads/.*", _BRANCH),
    (
        "POST",
        r"/pulls",
        Purpose("open the pull request", "pull-requests: write", _FOR_CALLED),
    ),
    (
        "PATCH",
        r"/pulls/\d+",
        Purpose("update the pull request", "pull-requests: write", _FOR_CALLED),
    ),
)


def purpose_of(method: str, path: str) -> Purpose:
    """The purpose of a call to a path below the repository's."""
    for verb, pattern, purpose in _PURPOSES:
        if verb == method and re.fullmatch(pattern, path, re.DOTALL):
            return purpose
    return Purpose("do what was asked", "metadata: read")


def refused(
    purpose: Purpose, status: int, headers: Mapping[str, str], said: str, now: float
) -> ApiError:
    """The error that a reply with a status other than 2xx stands for.

    Args:
        headers: Names in lower case.
        said: What the reply says in words, clean, possibly nothing.
        now: Seconds since 1970.
    """
    message = f"GitHub does not {purpose.doing}: HTTP {status}" + (f", {said}" if said else "")
    limit = _rate_limit(status, headers, said, now)
    if limit is not None:
        until = datetime.fromtimestamp(min(now + limit, _LATEST), UTC)
        hint = (
            f"the rate limit of the token ends at {until:%Y-%m-%d %H:%M:%S} UTC;"
            " run the job again then, or run fewer at a time"
        )
        return ApiError(message, hint, status=status, passing=True, wait_s=limit)
    if status in (408, 425, 429) or status >= 500:
        wait_s = _retry_after(headers)
        hint = "GitHub has a fault or is busy; run the job again later"
        return ApiError(message, hint, status=status, passing=True, wait_s=wait_s)
    return ApiError(message, _hint(purpose, status, said), status=status)


def _rate_limit(status: int, headers: Mapping[str, str], said: str, now: float) -> float | None:
    """Seconds until a rate limit ends; ``None`` if the reply speaks of none that it dates."""
    # The last call that a limit allows may be turned down for another reason.
    if status not in (403, 429) or _PERMISSION.search(said):
        return None
    wait_s = _retry_after(headers)
    if wait_s is not None:
        return wait_s
    reset = headers.get("x-ratelimit-reset", "").strip()
    dated = reset.isascii() and reset.isdigit() and len(reset) <= _MAX_DIGITS
    if headers.get("x-ratelimit-remaining", "").strip() == "0" and dated:
        return max(0.0, int(reset) - now) + 1.0
    if _SECONDARY.search(said) or (status == 403 and "rate limit exceeded" in said.lower()):
        return _SECONDARY_WAIT_S
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after")
    if value is None or len(value) > 2 * _MAX_DIGITS + 10:
        return None
    try:
        return Retry(0).parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):
        return None


def _hint(purpose: Purpose, status: int, said: str) -> str:
    if status == 401:
        return (
            "give github-token a token that is valid: ${{ github.token }} ends with its job,"
            " others expire or are revoked"
        )
    if status in (403, 410) and _LOCKED.search(said):
        return "unlock the conversation or the repository, or set comment to never"
    if status == 403 and _NO_PULLS.search(said):
        return (
            "allow it in the settings of the repository, and of its organization before that:"
            " Actions, General, 'Allow GitHub Actions to create and approve pull requests'; or"
            " give github-token a token of an App"
        )
    if status == 403:
        return _permission_hint(purpose)
    if status in (404, 410):
        return (
            "see that the token may see the repository (a private one needs"
            f" `permissions: {purpose.permission}`), and that GITHUB_API_URL is of the server"
            " that it is on"
        )
    if status == 422:
        return "GitHub finds the request invalid; its words above say why"
    return _CHECK_ADDRESS


def _permission_hint(purpose: Purpose) -> str:
    hint = f"give the job `permissions: {purpose.permission}`"
    return f"{hint}; {purpose.besides}" if purpose.besides else hint
