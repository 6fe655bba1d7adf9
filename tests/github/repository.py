"""Blobs, trees, commits and branches of a repository, and GitHub's calls about them."""

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any, NamedTuple

import replies
from wire import Reply, Request, error


class Commit(NamedTuple):
    tree: str
    parents: tuple[str, ...]
    message: str


@dataclass
class Repository:
    """What Git keeps. Trees are flat here: hashes of blobs by path."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    made: int = 0

    def commit(
        self,
        branch: str,
        files: dict[str, bytes],
        message: str = "A change",
        sha: str | None = None,
    ) -> str:
        """Commit files to a branch, on top of what it has, as somebody with git would."""
        before = self.branches.get(branch)
        old = {} if before is None else self.trees[self.commits[before].tree]
        tree = self.tree({**old, **{path: self.blob(data) for path, data in files.items()}})
        parents = () if before is None else (before,)
        self.branches[branch] = self.add(Commit(tree, parents, message), sha)
        return self.branches[branch]

    def files(self, branch: str) -> dict[str, bytes]:
        """What stands at the head of a branch."""
        tree = self.trees[self.commits[self.branches[branch]].tree]
        return {path: self.blobs[blob] for path, blob in tree.items()}

    def history(self, branch: str) -> list[Commit]:
        """The commit at the head of a branch and, by first parents, those before."""
        found, sha = [], self.branches.get(branch)
        while sha is not None:
            found.append(self.commits[sha])
            sha = next(iter(found[-1].parents), None)
        return found

    def holds(self, branch: str, sha: str) -> bool:
        """Whether a commit is at the head of a branch or among its ancestors."""
        return sha in self._ancestors(self.branches[branch])

    def state(self) -> dict[str, Any]:
        """What can be asked for from outside: files as base64."""
        return {
            branch: {
                "sha": sha,
                "message": self.commits[sha].message,
                "parents": list(self.commits[sha].parents),
                "files": {
                    path: base64.b64encode(data).decode()
                    for path, data in self.files(branch).items()
                },
            }
            for branch, sha in self.branches.items()
        }

    def blob(self, data: bytes) -> str:
        sha = sha1(b"blob %d\0" % len(data) + data).hexdigest()
        self.blobs[sha] = data
        return sha

    def tree(self, entries: dict[str, str]) -> str:
        sha = sha1(b"tree" + json.dumps(sorted(entries.items())).encode()).hexdigest()
        self.trees[sha] = dict(sorted(entries.items()))
        return sha

    def add(self, commit: Commit, sha: str | None = None) -> str:
        """Keep a commit. Each has a hash of its own, as none is made at the same time."""
        self.made += 1
        name = sha or sha1(f"commit {self.made} {commit}".encode()).hexdigest()
        self.commits[name] = commit
        return name

    def _ancestors(self, sha: str) -> Iterator[str]:
        waiting = [sha]
        while waiting:
            waiting += self.commits[waiting[0]].parents
            yield waiting.pop(0)

    # GitHub's calls

    def _get_ref(self, names: replies.Names, request: Request, branch: str) -> Reply:
        if branch not in self.branches:
            return error(404, "Not Found")
        return Reply(200, replies.ref(names, branch, self.branches[branch]))

    def _get_commit(self, names: replies.Names, request: Request, sha: str) -> Reply:
        if sha not in self.commits:
            return error(404, "Not Found")
        return Reply(200, self._shown(names, sha))

    def _post_blob(self, names: replies.Names, request: Request) -> Reply:
        asked = request.json
        if asked.get("encoding") != "base64":
            return error(500, "the test server wants base64")
        try:
            sha = self.blob(base64.b64decode(asked["content"], validate=True))
        except binascii.Error:
            return _invalid("content is not valid Base64")
        return Reply(201, {"sha": sha, "url": f"{names.url}/git/blobs/{sha}"})

    def _post_tree(self, names: replies.Names, request: Request) -> Reply:
        asked = request.json
        if asked["base_tree"] not in self.trees:
            return error(404, "Not Found")
        entries = dict(self.trees[asked["base_tree"]])
        for one in asked["tree"]:
            if (one["mode"], one["type"]) != ("100644", "blob"):
                return error(500, "the test server knows plain files only")
            parts = one["path"].split("/")
            if not all(parts) or {".", "..", ".git"} & set(parts):
                return _invalid("tree.path contains a malformed path component")
            if one["sha"] not in self.blobs:
                return _invalid(f"tree.sha {one['sha']} is not a valid blob")
            entries[one["path"]] = one["sha"]
        sha = self.tree(entries)
        shown = {path: (blob, len(self.blobs[blob])) for path, blob in entries.items()}
        return Reply(201, replies.tree(names, sha, shown))

    def _post_commit(self, names: replies.Names, request: Request) -> Reply:
        asked = request.json
        if asked["tree"] not in self.trees:
            return _invalid("Tree SHA does not exist")
        if not set(asked["parents"]) <= set(self.commits):
            return _invalid("Parent SHA does not exist or is not a commit object")
        sha = self.add(Commit(asked["tree"], tuple(asked["parents"]), asked["message"]))
        return Reply(201, self._shown(names, sha))

    def _post_ref(self, names: replies.Names, request: Request) -> Reply:
        asked = request.json
        branch = asked["ref"].removeprefix("refs/heads/")
        if branch == asked["ref"]:
            return error(500, "the test server makes branches only")
        if branch in self.branches:
            return _invalid("Reference already exists")
        if asked["sha"] not in self.commits:
            return _invalid("Object does not exist")
        self.branches[branch] = asked["sha"]
        return Reply(201, replies.ref(names, branch, asked["sha"]))

    def _patch_ref(self, names: replies.Names, request: Request, branch: str) -> Reply:
        asked = request.json
        if branch not in self.branches:
            return _invalid("Reference does not exist")
        if asked["sha"] not in self.commits:
            return _invalid("Object does not exist")
        if not asked.get("force") and self.branches[branch] not in self._ancestors(asked["sha"]):
            return _invalid("Update is not a fast forward")
        self.branches[branch] = asked["sha"]
        return Reply(200, replies.ref(names, branch, asked["sha"]))

    def _shown(self, names: replies.Names, sha: str) -> dict[str, Any]:
        one = self.commits[sha]
        return replies.commit(names, sha, one.message, one.tree, one.parents)


def _invalid(message: str) -> Reply:
    return error(422, message)


_Handler = Callable[..., Reply]
ROUTES: tuple[tuple[str, str, str, _Handler], ...] = (
    ("GET", r"/git/ref/heads/(.+)", "read", Repository._get_ref),
    ("GET", r"/git/commits/([0-9a-f]+)", "read", Repository._get_commit),
    ("POST", r"/git/blobs", "write", Repository._post_blob),
    ("POST", r"/git/trees", "write", Repository._post_tree),
    ("POST", r"/git/commits", "write", Repository._post_commit),
    ("POST", r"/git/refs", "write", Repository._post_ref),
    ("PATCH", r"/git/refs/heads/(.+)", "write", Repository._patch_ref),
)
"""Method, path below the repository's, level of the permission for contents, and what answers."""
