"""GitHub's rules about comments, pull requests and files, as far as ragproof meets them."""

import base64
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode

import replies
from repository import ROUTES as GIT_ROUTES
from repository import Repository
from wire import Reply, Request, api_url, error

MAX_BODY = 65_536
DEFAULT_BOT = "github-actions[bot]"
WRITER = {"pull-requests": "write", "contents": "read"}
PROPOSER = {"pull-requests": "write", "contents": "write"}
READER = {"pull-requests": "read", "contents": "read"}
_LEVELS = {"none": 0, "read": 1, "write": 2}
_MEGABYTE = 1024 * 1024


class Token(NamedTuple):
    """Whose a token is, and what it may do, by permission."""

    login: str = DEFAULT_BOT
    permissions: Mapping[str, str] = WRITER


class Pull(NamedTuple):
    """A pull request; a deleted fork is a head repository of ``None``."""

    number: int
    head_sha: str
    base_sha: str = "b" * 40
    head_repository: str | None = "octo-org/octo-repo"
    head_branch: str = "topic"
    state: str = "open"
    locked: bool = False
    base_branch: str = "main"
    title: str = "A change"
    body: str | None = None
    login: str = "octocat"


class Comment(NamedTuple):
    id: int
    number: int
    login: str | None
    body: str


class Link(NamedTuple):
    """A symbolic link in a commit."""

    target: str


class Fault(NamedTuple):
    """What goes wrong with the next calls of a method to paths below the repository's.

    ``how`` is ``answer`` (a reply with this status, headers and body), ``hang``, ``cut``
    (after some bytes of a reply), ``drop`` (before any) or ``none``. ``after`` carries the
    call out first; ``meanwhile`` is done before it.
    """

    method: str
    path: str
    how: str = "answer"
    status: int = 502
    headers: Mapping[str, str] = {}
    body: Any = None
    times: int = 1
    after: bool = False
    meanwhile: Callable[["Github"], object] | None = None


class Exchange(NamedTuple):
    """A call and what came of it; ``injected`` replies are no work of GitHub's."""

    request: Request
    reply: Reply | None
    injected: bool


@dataclass
class Github:
    """The state of the server and all its rules."""

    repository: str = "octo-org/octo-repo"
    repository_id: int = 1296269
    old_names: tuple[str, ...] = ()
    tokens: dict[str, Token] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    commits: dict[str, dict[str, bytes | Link]] = field(default_factory=dict)
    git: Repository = field(default_factory=Repository)
    may_open_pulls: bool = True
    page_size: int = 100
    remaining: int = 1000
    reset: int = 0
    faults: list[Fault] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    wall: Callable[[], float] = time.time
    next_id: int = 1

    def comment(self, number: int, login: str | None, body: str) -> Comment:
        """Write a comment, as a user of GitHub would."""
        comment = Comment(self.next_id, number, login, body)
        self.next_id += 1
        self.comments.append(comment)
        return comment

    def calls(self, method: str = "") -> list[str]:
        """The calls so far: method and target."""
        return [
            f"{one.request.method} {one.request.target}"
            for one in self.exchanges
            if one.request.method.startswith(method)
        ]

    def state(self) -> dict[str, Any]:
        """What can be asked for from outside."""
        return {
            "comments": [comment._asdict() for comment in self.comments],
            "pulls": [self._now(pull)._asdict() for pull in self.pulls.values()],
            "branches": self.git.state(),
            "requests": [
                {
                    "method": one.request.method,
                    "target": one.request.target,
                    "body": one.request.body.decode("utf-8", "replace"),
                    "status": None if one.reply is None else one.reply.status,
                }
                for one in self.exchanges
            ],
            "unknown": self.unknown,
        }

    def fault_for(self, request: Request) -> Fault | None:
        """The fault that is due, used up."""
        path = self._below(request)
        for index, fault in enumerate(self.faults):
            if fault.method == request.method and re.fullmatch(fault.path, path or ""):
                if fault.times > 1:
                    self.faults[index] = fault._replace(times=fault.times - 1)
                else:
                    del self.faults[index]
                return fault
        return None

    def answer(self, request: Request) -> Reply:
        """What GitHub would reply."""
        problem = self._admit(request)
        if problem is not None:
            return problem
        path = self._below(request)
        if path is None:
            return self._elsewhere(request)
        for method, pattern, known, permission, handler in _ROUTES:
            found = re.fullmatch(pattern, path)
            if found is None or method != request.method:
                continue
            if not set(request.query) <= known:
                break
            if not self._may(request, *permission):
                return error(403, "Resource not accessible by integration")
            return handler(self, request, *map(unquote, found.groups()))
        for method, pattern, level, git in GIT_ROUTES:
            found = re.fullmatch(pattern, path)
            if found is None or method != request.method or request.query:
                continue
            if not self._may(request, "contents", level):
                return error(403, "Resource not accessible by integration")
            names = replies.Names(api_url(request), self.repository)
            return git(self.git, names, request, *map(unquote, found.groups()))
        self.unknown.append(f"{request.method} {request.target}")
        return error(500, f"the test server knows no {request.method} {request.target}")

    def _admit(self, request: Request) -> Reply | None:
        if "user-agent" not in request.headers:
            return error(403, "Request forbidden by administrative rules.")
        if request.headers.get("x-github-api-version") != "2022-11-28":
            return error(400, "the test server wants X-GitHub-Api-Version 2022-11-28")
        if self._token(request) is None:
            return error(401, "Bad credentials")
        if self.remaining <= 0 and self.wall() >= self.reset:
            self.remaining = 1000
        if self.remaining <= 0:
            return error(403, "API rate limit exceeded for installation ID 1.")
        self.remaining -= 1
        return None

    def _token(self, request: Request) -> Token | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self.tokens.get(token) if scheme == "Bearer" else None

    def _may(self, request: Request, permission: str, level: str) -> bool:
        token = self._token(request)
        assert token is not None
        return _LEVELS[token.permissions.get(permission, "none")] >= _LEVELS[level]

    def _below(self, request: Request) -> str | None:
        """The path below the repository's; ``None`` if it is not below it."""
        for top in (f"/repos/{self.repository}", f"/repositories/{self.repository_id}"):
            if request.path.lower().startswith(f"{top.lower()}/"):
                return request.path[len(top) :]
        return None

    def _elsewhere(self, request: Request) -> Reply:
        for name in self.old_names:
            rest = request.path.removeprefix(f"/repos/{name}/")
            if rest != request.path:
                query = request.target.partition("?")[2]
                target = f"{api_url(request)}/repositories/{self.repository_id}/{rest}?{query}"
                return error(301, "Moved Permanently")._replace(headers={"Location": target})
        return error(404, "Not Found")

    def _comments(self, request: Request, number: str) -> Reply:
        if int(number) not in self.pulls:
            return error(404, "Not Found")
        found = [one for one in self.comments if one.number == int(number)]
        names = replies.Names(api_url(request), self.repository)
        return self._paged(request, [replies.comment(names, *one) for one in found])

    def _create(self, request: Request, number: str) -> Reply:
        pull = self.pulls.get(int(number))
        if pull is None:
            return error(404, "Not Found")
        if pull.locked:
            return error(403, "Unable to create comment because issue is locked.")
        problem = _invalid_body(request)
        if problem is not None:
            return problem
        token = self._token(request)
        assert token is not None
        comment = self.comment(pull.number, token.login, request.json["body"])
        names = replies.Names(api_url(request), self.repository)
        return Reply(201, replies.comment(names, *comment))

    def _update(self, request: Request, comment_id: str) -> Reply:
        for index, comment in enumerate(self.comments):
            if comment.id == int(comment_id):
                problem = _invalid_body(request)
                if problem is not None:
                    return problem
                self.comments[index] = comment._replace(body=request.json["body"])
                names = replies.Names(api_url(request), self.repository)
                return Reply(200, replies.comment(names, *self.comments[index]))
        return error(404, "Not Found")

    def _pull(self, request: Request, number: str) -> Reply:
        pull = self.pulls.get(int(number))
        if pull is None:
            return error(404, "Not Found")
        names = replies.Names(api_url(request), self.repository)
        return Reply(200, replies.pull(names, self._now(pull)._asdict()))

    def _now(self, pull: Pull) -> Pull:
        """A pull request with its head where its branch is by now, if the branch is ours."""
        sha = self.git.branches.get(pull.head_branch)
        if sha is None or pull.state != "open" or pull.head_repository != self.repository:
            return pull
        return pull._replace(head_sha=sha)

    def _open(self, request: Request) -> Reply:
        asked = request.json
        token = self._token(request)
        assert token is not None
        if not self.may_open_pulls:
            said = "GitHub Actions is not permitted to create or approve pull requests."
            return error(403, said)
        problem = _invalid_text(asked)
        if problem is not None:
            return problem
        head, base = asked["head"], asked["base"]
        for key, name in (("head", head), ("base", base)):
            if name not in self.git.branches:
                wrong = {"resource": "PullRequest", "field": key, "code": "invalid"}
                return error(422, "Validation Failed", [wrong])
        owner = self.repository.partition("/")[0]
        wrong = {"resource": "PullRequest", "code": "custom"}
        for one in self.pulls.values():
            ends = (one.head_repository, one.head_branch, one.base_branch)
            if one.state == "open" and ends == (self.repository, head, base):
                message = f"A pull request already exists for {owner}:{head}."
                return error(422, "Validation Failed", [{**wrong, "message": message}])
        if self.git.holds(base, self.git.branches[head]):
            message = f"No commits between {base} and {head}"
            return error(422, "Validation Failed", [{**wrong, "message": message}])
        pull = Pull(
            max(self.pulls, default=0) + 1,
            self.git.branches[head],
            self.git.branches[base],
            self.repository,
            head,
            base_branch=base,
            title=asked["title"],
            body=asked.get("body"),
            login=token.login,
        )
        self.pulls[pull.number] = pull
        names = replies.Names(api_url(request), self.repository)
        return Reply(201, replies.pull(names, pull._asdict()))

    def _edit(self, request: Request, number: str) -> Reply:
        pull = self.pulls.get(int(number))
        if pull is None:
            return error(404, "Not Found")
        asked = request.json
        problem = _invalid_text({"title": pull.title, **asked})
        if problem is not None:
            return problem
        self.pulls[pull.number] = pull = pull._replace(**asked)
        names = replies.Names(api_url(request), self.repository)
        return Reply(200, replies.pull(names, self._now(pull)._asdict()))

    def _pulls(self, request: Request) -> Reply:
        names = replies.Names(api_url(request), self.repository)
        state, head = request.query.get("state", "open"), request.query.get("head", "")
        found = []
        for pull in self.pulls.values():
            owner = (pull.head_repository or "").partition("/")[0]
            # GitHub takes no notice of a head without an owner.
            if ":" in head and head.lower() != f"{owner}:{pull.head_branch}".lower():
                continue
            if state in ("all", pull.state):
                found.append(replies.simple_pull(names, self._now(pull)._asdict()))
        return self._paged(request, found)

    def _contents(self, request: Request, path: str) -> Reply:
        ref = request.query.get("ref", "")
        if ref not in self.commits:
            return error(404, f"No commit found for the ref {ref}")
        names = replies.Names(api_url(request), self.repository)
        files = self.commits[ref]
        accept = request.headers.get("accept", "")
        entry = files.get(path)
        if isinstance(entry, Link) and isinstance(files.get(entry.target), bytes):
            entry = files[entry.target]
        if isinstance(entry, bytes):
            return self._file(names, path, entry, accept)
        if isinstance(entry, Link):
            if "raw" in accept:
                return Reply(200, entry.target.encode())
            return Reply(200, replies.entry(names, path, "symlink", len(entry.target)))
        if not any(name.startswith(f"{path}/") for name in files):
            return error(404, "Not Found")
        inside = [
            replies.entry(names, name, "file", len(data))
            for name, data in files.items()
            if name.startswith(f"{path}/") and isinstance(data, bytes)
        ]
        if "object" not in accept:
            return Reply(200, inside)
        return Reply(200, {**replies.entry(names, path, "dir", 0), "entries": inside})

    def _file(self, names: replies.Names, path: str, data: bytes, accept: str) -> Reply:
        if "raw" in accept:
            return Reply(200, data)
        made = replies.entry(names, path, "file", len(data))
        if len(data) <= _MEGABYTE:
            # GitHub breaks the lines, as MIME does.
            content = base64.encodebytes(data).decode()
            return Reply(200, {**made, "content": content, "encoding": "base64"})
        if "object" in accept:
            return Reply(200, {**made, "content": "", "encoding": "none"})
        return error(403, "This API returns blobs up to 1 MB in size.")

    def _paged(self, request: Request, items: list[Any]) -> Reply:
        size = min(int(request.query.get("per_page", 30)), 100, self.page_size)
        page = int(request.query.get("page", 1))
        last = max(1, -(-len(items) // size))
        links = []
        for rel, number in (("prev", page - 1), ("next", page + 1), ("last", last), ("first", 1)):
            if 1 <= number <= last and (rel in ("prev", "first")) == (number < page):
                query = urlencode({**request.query, "page": number})
                links.append(f'<{api_url(request)}{request.path}?{query}>; rel="{rel}"')
        headers = {"Link": ", ".join(links)} if last > 1 else {}
        return Reply(200, items[(page - 1) * size : page * size], headers)


_Handler = Callable[..., Reply]
_ROUTES: tuple[tuple[str, str, set[str], tuple[str, str], _Handler], ...] = (
    (
        "GET",
        r"/issues/(\d+)/comments",
        {"per_page", "page"},
        ("pull-requests", "read"),
        Github._comments,
    ),
    ("POST", r"/issues/(\d+)/comments", set(), ("pull-requests", "write"), Github._create),
    ("PATCH", r"/issues/comments/(\d+)", set(), ("pull-requests", "write"), Github._update),
    ("GET", r"/pulls/(\d+)", set(), ("pull-requests", "read"), Github._pull),
    (
        "GET",
        r"/pulls",
        {"head", "state", "per_page", "page"},
        ("pull-requests", "read"),
        Github._pulls,
    ),
    ("POST", r"/pulls", set(), ("pull-requests", "write"), Github._open),
    ("PATCH", r"/pulls/(\d+)", set(), ("pull-requests", "write"), Github._edit),
    ("GET", r"/contents/(.+)", {"ref"}, ("contents", "read"), Github._contents),
)


def _invalid_body(request: Request) -> Reply | None:
    try:
        body = request.json["body"]
    except (ValueError, KeyError, TypeError):
        return error(400, "Problems parsing JSON")
    problem = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
    if not isinstance(body, str) or not body.strip():
        return error(422, "Validation Failed", [{**problem, "message": "Body can't be blank"}])
    if len(body.encode("utf-16-le")) > 2 * MAX_BODY:
        message = f"Body is too long (maximum is {MAX_BODY} characters)"
        return error(422, "Validation Failed", [{**problem, "message": message}])
    return None


def _invalid_text(asked: Mapping[str, Any]) -> Reply | None:
    """What is wrong with title and body of a pull request."""
    wrong = {"resource": "PullRequest", "code": "custom"}
    if not str(asked.get("title", "")).strip():
        return error(422, "Validation Failed", [{**wrong, "message": "Title can't be blank"}])
    if len((asked.get("body") or "").encode("utf-16-le")) > 2 * MAX_BODY:
        message = f"body is too long (maximum is {MAX_BODY} characters)"
        return error(422, "Validation Failed", [{**wrong, "message": message}])
    return None
