"""The one comment that a job keeps up to date on its pull request."""

import re
from typing import Any, NamedTuple

from ragproof.github.api import Api, ApiError
from ragproof.github.event import (
    EventError,
    PullRequest,
    WorkflowRun,
    full_name,
    pull_request_from,
    same_name,
)
from ragproof.github.marker import Marker, format_marker, is_older, parse_marker
from ragproof.strictjson import well_formed

MAX_CHARACTERS = 65_536
"""GitHub takes no longer body, its first line included; counted in UTF-16."""
_URL = re.compile(r"https?://[!-~]+")


class Posted(NamedTuple):
    """The address of the comment, and why nothing was written, a sentence, or nothing."""

    url: str | None
    note: str


class _Found(NamedTuple):
    id: int
    url: str | None
    body: str
    marker: Marker


def room_for(marker: Marker) -> int:
    """How many characters (UTF-16) are left for a body below its marker."""
    return MAX_CHARACTERS - utf16_length(format_marker(marker)) - 1


def keep_comment(
    api: Api, number: int, body: str, marker: Marker, author: str, *, create: bool
) -> Posted:
    """Write our comment on a pull request, or write over it, so that there is one.

    It is ours if its author is ``author`` and its first line a marker with the same key; of
    several the first is kept. Nothing is written for a commit that is no longer the pull
    request's head, or where a later run has written. A pull request that is closed is
    treated as any other: people read it on. Before each try all of this is looked up anew,
    for a try that failed may have written, and so may another run while we waited.

    Args:
        author: Login of the token's user, ``github-actions[bot]`` for the default token.
        create: Whether to write a comment where there is none.

    Raises:
        ApiError: the body is too long, or GitHub does not do it within the budget.
    """
    text = f"{format_marker(marker)}\n{well_formed(body)}"
    if utf16_length(text) > MAX_CHARACTERS:
        raise ApiError(
            f"a comment of {utf16_length(text):,} characters is too long; GitHub takes"
            f" {MAX_CHARACTERS:,}",
            "report fewer failing cases",
        )
    gone: set[int] = set()
    tries = 0
    while True:
        head = _head_of(api, number)
        if head != marker.head:
            return Posted(None, _moved(number, head, marker))
        found = _find(api, number, marker.key, author, gone)
        if found is not None and is_older(marker, found.marker):
            note = f"a later run ({found.marker.run_id}) has already written the comment"
            return Posted(found.url, f"{note} on pull request #{number}")
        if found is None and not create:
            return Posted(None, f"pull request #{number} has no comment to update")
        if found is not None and found.body == text:
            return Posted(found.url, "")
        try:
            return Posted(_write(api, number, text, found), "")
        except ApiError as error:
            if found is not None and error.status in (404, 410):
                gone.add(found.id)  # someone deleted it just now, and lists may lag behind
                continue
            tries += 1
            api.pause(error, tries)


def find_pull_requests(api: Api, run: WorkflowRun) -> list[PullRequest]:
    """The open pull requests whose head is the commit that a run was of.

    A run for a fork names no pull request, so they are found by the branch; the commit and
    the repository must be the run's.

    Raises:
        ApiError: GitHub does not say.
    """
    params = {"state": "open", "head": f"{run.head_owner}:{run.head_branch}"}
    found = []
    for item in api.pages("/pulls", params):
        head = item.get("head") if isinstance(item, dict) else None
        repository = full_name(head.get("repo")) if isinstance(head, dict) else None
        if not same_name(repository, run.head_repository):
            continue
        try:
            pull_request = pull_request_from(item)
        except EventError:
            raise api.malformed("pull request") from None
        if pull_request.head_sha == run.head_sha:
            found.append(pull_request)
    return found


def _head_of(api: Api, number: int) -> str:
    try:
        return pull_request_from(api.get(f"/pulls/{number}")).head_sha
    except EventError:
        raise api.malformed("pull request") from None


def _moved(number: int, head: str, marker: Marker) -> str:
    return (
        f"pull request #{number} is at {head[:12]} by now, not at {marker.head[:12]};"
        " the run of that commit writes the comment"
    )


def _find(api: Api, number: int, key: str, author: str, gone: set[int]) -> _Found | None:
    for item in api.pages(f"/issues/{number}/comments"):
        found = _ours(item, author)
        if found is not None and found.marker.key == key and found.id not in gone:
            return found
    return None


def _ours(item: Any, author: str) -> _Found | None:
    """A comment with a marker, if this author wrote it. Anyone can write a marker."""
    if not isinstance(item, dict):
        return None
    user, body, number = item.get("user"), item.get("body"), item.get("id")
    login = user.get("login") if isinstance(user, dict) else None
    if not isinstance(login, str) or not isinstance(body, str) or not isinstance(number, int):
        return None
    marker = parse_marker(body)
    if marker is None or not same_name(login, author):
        return None
    return _Found(number, _url_of(item), body, marker)


def _write(api: Api, number: int, text: str, found: _Found | None) -> str | None:
    body = {"body": text}
    if found is not None:
        return _url_of(api.patch(f"/issues/comments/{found.id}", body))
    return _url_of(api.post(f"/issues/{number}/comments", body))


def _url_of(comment: Any) -> str | None:
    url = comment.get("html_url") if isinstance(comment, dict) else None
    return url if isinstance(url, str) and _URL.fullmatch(url) else None


def utf16_length(text: str) -> int:
    """Characters as GitHub counts them."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
