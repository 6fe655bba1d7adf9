"""Replies with all fields that GitHub's description of its API requires."""

from collections.abc import Mapping, Sequence
from hashlib import sha1
from typing import Any, NamedTuple
from urllib.parse import quote

_WHEN = "2026-01-02T03:04:05Z"
_WEB = "https://github.com"


class Names(NamedTuple):
    """The address of the API, and the repository asked about."""

    api: str
    repository: str

    @property
    def url(self) -> str:
        return f"{self.api}/repos/{self.repository}"

    @property
    def web(self) -> str:
        return f"{_WEB}/{self.repository}"


def number_of(name: str) -> int:
    """An id that a name always has."""
    return int(sha1(name.encode("utf-8", "surrogatepass")).hexdigest()[:7], 16)


def user(api: str, login: str) -> dict[str, Any]:
    """A simple user."""
    url = f"{api}/users/{quote(login)}"
    lists = ("followers", "subscriptions", "organizations", "repos", "received_events")
    return {
        "login": login,
        "id": number_of(login),
        "node_id": f"U_{number_of(login)}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number_of(login)}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{_WEB}/{quote(login.removesuffix('[bot]'))}",
        **{f"{name.removesuffix('_url')}_url": f"{url}/{name}" for name in lists},
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "events_url": f"{url}/events{{/privacy}}",
        "type": "Bot" if login.endswith("[bot]") else "User",
        "site_admin": False,
    }


_PLAIN_LISTS = (
    "hooks", "events", "contributors", "subscribers", "subscription", "languages", "tags",
    "stargazers", "teams", "downloads", "deployments", "merges", "forks",
)  # fmt: skip
_TEMPLATES = {
    "archive": "{archive_format}{/ref}",
    "assignees": "assignees{/user}",
    "blobs": "git/blobs{/sha}",
    "branches": "branches{/branch}",
    "collaborators": "collaborators{/collaborator}",
    "comments": "comments{/number}",
    "commits": "commits{/sha}",
    "compare": "compare/{base}...{head}",
    "contents": "contents/{+path}",
    "git_commits": "git/commits{/sha}",
    "git_refs": "git/refs{/sha}",
    "git_tags": "git/tags{/sha}",
    "issue_comment": "issues/comments{/number}",
    "issue_events": "issues/events{/number}",
    "issues": "issues{/number}",
    "keys": "keys{/key_id}",
    "labels": "labels{/name}",
    "milestones": "milestones{/number}",
    "notifications": "notifications{?since,all,participating}",
    "pulls": "pulls{/number}",
    "releases": "releases{/id}",
    "statuses": "statuses/{sha}",
    "trees": "git/trees{/sha}",
}


def repository(names: Names) -> dict[str, Any]:
    """A repository."""
    owner, name = names.repository.split("/")
    counts = ("forks", "forks_count", "open_issues", "open_issues_count", "stargazers_count")
    flags = ("has_downloads", "has_issues", "has_projects", "has_wiki")
    return {
        "id": number_of(names.repository),
        "node_id": f"R_{number_of(names.repository)}",
        "name": name,
        "full_name": names.repository,
        "owner": user(names.api, owner),
        "private": False,
        "description": None,
        "fork": False,
        "url": names.url,
        "html_url": names.web,
        **{f"{one}_url": f"{names.url}/{one}" for one in _PLAIN_LISTS},
        **{f"{one}_url": f"{names.url}/{rest}" for one, rest in _TEMPLATES.items()},
        "clone_url": f"{names.web}.git",
        "git_url": f"git:github.com/{names.repository}.git",
        "ssh_url": f"git@github.com:{names.repository}.git",
        "svn_url": names.web,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": "main",
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(("watchers", "watchers_count", "size"), 0),
        **dict.fromkeys(flags, True),
        "has_pages": False,
        "archived": False,
        "disabled": False,
        "pushed_at": _WHEN,
        "created_at": _WHEN,
        "updated_at": _WHEN,
    }


def comment(
    names: Names, comment_id: int, number: int, login: str | None, body: str
) -> dict[str, Any]:
    """A comment; the user is null once the account is gone."""
    return {
        "id": comment_id,
        "node_id": f"IC_{comment_id}",
        "url": f"{names.url}/issues/comments/{comment_id}",
        "html_url": f"{names.web}/pull/{number}#issuecomment-{comment_id}",
        "issue_url": f"{names.url}/issues/{number}",
        "user": None if login is None else user(names.api, login),
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "author_association": "NONE",
        "body": body,
        "performed_via_github_app": None,
    }


def simple_pull(names: Names, pull: Mapping[str, Any]) -> dict[str, Any]:
    """A pull request as lists hold it."""
    number = pull["number"]
    url, issue = f"{names.url}/pulls/{number}", f"{names.url}/issues/{number}"
    web = f"{names.web}/pull/{number}"
    statuses = f"{names.url}/statuses/{pull['head_sha']}"
    links = {
        "self": url,
        "html": web,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{names.url}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": statuses,
    }
    return {
        "id": number_of(web),
        "node_id": f"PR_{number}",
        "number": number,
        "state": pull["state"],
        "locked": pull["locked"],
        "title": pull["title"],
        "body": pull["body"],
        "user": user(names.api, pull["login"]),
        "url": url,
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": statuses,
        "head": _end(names, pull["head_repository"], pull["head_branch"], pull["head_sha"]),
        "base": _end(names, names.repository, pull["base_branch"], pull["base_sha"]),
        "_links": {name: {"href": href} for name, href in links.items()},
        "assignee": None,
        "labels": [],
        "milestone": None,
        "author_association": "NONE",
        "auto_merge": None,
        "draft": False,
        "merge_commit_sha": None,
        "created_at": _WHEN,
        "updated_at": _WHEN,
        "closed_at": None if pull["state"] == "open" else _WHEN,
        "merged_at": None,
    }


def pull(names: Names, pull: Mapping[str, Any]) -> dict[str, Any]:
    """A pull request by itself."""
    counts = ("comments", "review_comments", "commits", "additions", "deletions", "changed_files")
    return {
        **simple_pull(names, pull),
        **dict.fromkeys(counts, 1),
        "merged": False,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def entry(names: Names, path: str, kind: str, size: int) -> dict[str, Any]:
    """An entry of a tree, without what it holds."""
    sha = f"{number_of(path):040x}"
    url = f"{names.url}/contents/{quote(path)}?ref=main"
    git, html = f"{names.url}/git/blobs/{sha}", f"{names.web}/blob/main/{quote(path)}"
    return {
        "type": kind,
        "size": size,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": sha,
        "url": url,
        "git_url": git,
        "html_url": html,
        "download_url": None if kind == "dir" else f"{names.web}/raw/main/{quote(path)}",
        "_links": {"self": url, "git": git, "html": html},
    }


def _end(names: Names, name: str | None, branch: str, sha: str) -> dict[str, Any]:
    owner = (name or names.repository).partition("/")[0]
    return {
        "label": f"{owner}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": user(names.api, owner),
        "repo": None if name is None else repository(Names(names.api, name)),
    }


def ref(names: Names, branch: str, sha: str) -> dict[str, Any]:
    """A reference to a commit."""
    name = f"heads/{branch}"
    return {
        "ref": f"refs/{name}",
        "node_id": f"REF_{number_of(name)}",
        "url": f"{names.url}/git/refs/{quote(name)}",
        "object": {"type": "commit", "sha": sha, "url": f"{names.url}/git/commits/{sha}"},
    }


def commit(
    names: Names, sha: str, message: str, tree: str, parents: Sequence[str]
) -> dict[str, Any]:
    """A commit, without what it holds."""
    person = {"name": "octo", "email": "octo@example.com", "date": _WHEN}
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": f"{names.url}/git/commits/{sha}",
        "html_url": f"{names.web}/commit/{sha}",
        "author": person,
        "committer": person,
        "message": message,
        "tree": {"sha": tree, "url": f"{names.url}/git/trees/{tree}"},
        "parents": [
            {
                "sha": one,
                "url": f"{names.url}/git/commits/{one}",
                "html_url": f"{names.web}/commit/{one}",
            }
            for one in parents
        ],
        "verification": {
            "verified": True,
            "reason": "valid",
            "signature": "signature",
            "payload": "payload",
            "verified_at": _WHEN,
        },
    }


def tree(names: Names, sha: str, entries: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    """A tree; ``entries`` give hash and size of each file by its path."""
    return {
        "sha": sha,
        "url": f"{names.url}/git/trees/{sha}",
        "truncated": False,
        "tree": [
            {
                "path": path,
                "mode": "100644",
                "type": "blob",
                "sha": blob,
                "size": size,
                "url": f"{names.url}/git/blobs/{blob}",
            }
            for path, (blob, size) in entries.items()
        ],
    }
