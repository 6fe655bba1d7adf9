"""Commits and branches over the Git data calls: there is no git in the image.

Blobs and trees are named by what they hold: writing one twice gives the same, so those calls are
repeated here. Commits and branches are for the caller to look at before they are written again.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from ragproof.github.api import Api, ApiError

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_FILE = "100644"
# Of what Git allows in the name of a branch the part that needs no escape anywhere.
_BRANCH = re.compile(
    r"(?!.*(?:\.\.|\.lock(?:/|$)|\.$))[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*"
)


class Commit(NamedTuple):
    """A commit: its own hash, that of its tree, those of its parents, and its message."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    message: str


def is_branch(name: str) -> bool:
    """Whether a name is one that we give to a branch."""
    return _BRANCH.fullmatch(name) is not None and len(name) <= 200


def head_of(api: Api, branch: str) -> str | None:
    """The hash of the commit that a branch is at; ``None`` if there is no such branch.

    Raises:
        ApiError: GitHub does not say.
    """
    try:
        ref = api.get(f"/git/ref/heads/{_quoted(branch)}")
    except ApiError as error:
        if error.status == 404:
            return None
        raise
    return _sha(api, _inner(ref, "object"), "branch")


def read_commit(api: Api, sha: str) -> Commit:
    """A commit by its hash.

    Raises:
        ApiError: the repository has none, or GitHub does not send it.
    """
    return _commit(api, api.get(f"/git/commits/{sha}"))


def write_tree(api: Api, base_tree: str, files: Mapping[str, bytes]) -> str:
    """Store a tree that differs from another by these files; return its hash.

    Args:
        files: By their path from the top of the repository.

    Raises:
        ApiError: GitHub does not store it.
    """
    entries = [
        {"path": path, "mode": _FILE, "type": "blob", "sha": _write_blob(api, data)}
        for path, data in files.items()
    ]
    body = {"base_tree": base_tree, "tree": entries}
    return _sha(api, api.insist(lambda: api.post("/git/trees", body)), "tree")


def write_commit(api: Api, message: str, tree: str, parents: Sequence[str]) -> Commit:
    """Store a commit in the name of the token's user. GitHub signs it, as it names no author.
    Called once, as :meth:`Api.post`.

    Raises:
        ApiError: GitHub does not store it.
    """
    body = {"message": message, "tree": tree, "parents": list(parents)}
    return _commit(api, api.post("/git/commits", body))


def create_branch(api: Api, branch: str, sha: str) -> None:
    """Make a branch that is at a commit. Called once, as :meth:`Api.post`.

    Raises:
        ApiError: there is one already (422), or GitHub does not make it.
    """
    api.post("/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})


def move_branch(api: Api, branch: str, sha: str, *, force: bool) -> None:
    """Have a branch lead to another commit; without ``force`` only to one that has the present
    one among its ancestors. Called once, as :meth:`Api.patch`.

    Raises:
        ApiError: the branch is elsewhere by now or gone (422), or GitHub does not move it.
    """
    api.patch(f"/git/refs/heads/{_quoted(branch)}", {"sha": sha, "force": force})


def _write_blob(api: Api, data: bytes) -> str:
    body = {"content": base64.b64encode(data).decode("ascii"), "encoding": "base64"}
    return _sha(api, api.insist(lambda: api.post("/git/blobs", body)), "blob")


def _commit(api: Api, value: Any) -> Commit:
    parents = value.get("parents") if isinstance(value, dict) else None
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(parents, list) or not isinstance(message, str):
        raise api.malformed("commit")
    return Commit(
        _sha(api, value, "commit"),
        _sha(api, _inner(value, "tree"), "tree of a commit"),
        tuple(_sha(api, parent, "parent of a commit") for parent in parents),
        message,
    )


def _sha(api: Api, value: Any, what: str) -> str:
    sha = _inner(value, "sha")
    if not isinstance(sha, str) or _SHA.fullmatch(sha) is None:
        raise api.malformed(what)
    return sha


def _inner(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _quoted(branch: str) -> str:
    return quote(branch, safe="/")
