"""The open pull request of a branch: found, opened, written over."""

import re
from typing import Any, NamedTuple

from ragproof.github.api import Api, ApiError
from ragproof.github.event import full_name, same_name

MAX_CHARACTERS = 65_536
"""GitHub takes no longer body; counted in UTF-16."""
_URL = re.compile(r"https?://[!-~]+")
_THERE = "already exists"


class OpenPull(NamedTuple):
    """A pull request that is open. ``body`` is empty where it has none, ``author`` once the
    account is gone."""

    number: int
    url: str | None
    title: str
    body: str
    author: str


def find_pull(api: Api, branch: str, base: str) -> OpenPull | None:
    """The open pull request of a branch of this repository, into its branch ``base``.

    Raises:
        ApiError: it would be merged into another branch, or GitHub does not say.
    """
    params = {"state": "open", "head": f"{api.owner}:{branch}"}
    for item in api.pages("/pulls", params):
        head, into = _inner(item, "head"), _inner(item, "base")
        # Of several repositories of one owner only this one's branch is meant.
        if _inner(head, "ref") != branch or not same_name(
            full_name(_inner(head, "repo")), api.repository
        ):
            continue
        found = _read(api, item)
        if _inner(into, "ref") != base:
            raise ApiError(
                f"pull request #{found.number} would merge {branch} into another branch than"
                f" {base}",
                "name another branch with branch, one for each base",
            )
        return found
    return None


def create_pull(api: Api, branch: str, base: str, title: str, body: str) -> OpenPull:
    """Open a pull request. Called once, as :meth:`Api.post`.

    Raises:
        ApiError: GitHub does not open it; ``passing`` also where there is one already, which
            the next look finds.
    """
    try:
        made = api.post("/pulls", {"title": title, "head": branch, "base": base, "body": body})
    except ApiError as error:
        if error.status == 422 and _THERE in error.message:
            error.passing = True
        raise
    return _read(api, made)


def update_pull(api: Api, number: int, title: str, body: str) -> None:
    """Write over title and body of a pull request.

    Raises:
        ApiError: as :meth:`Api.patch`.
    """
    api.patch(f"/pulls/{number}", {"title": title, "body": body})


def _read(api: Api, value: Any) -> OpenPull:
    number, title, body = (_inner(value, key) for key in ("number", "title", "body"))
    url = _inner(value, "html_url")
    if isinstance(number, bool) or not isinstance(number, int) or not isinstance(title, str):
        raise api.malformed("pull request")
    shown = url if isinstance(url, str) and _URL.fullmatch(url) else None
    # GitHub may send back line ends as a browser would have sent them.
    text = body.replace("\r\n", "\n") if isinstance(body, str) else ""
    author = _inner(_inner(value, "user"), "login")
    return OpenPull(number, shown, title, text, author if isinstance(author, str) else "")


def _inner(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None
