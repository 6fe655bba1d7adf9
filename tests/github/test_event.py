"""What payloads say, and what they may not do to us."""

import copy
from typing import Any

import pytest
from calling import HEAD
from hypothesis import given
from hypothesis import strategies as st

from ragproof.github import event
from ragproof.github.event import EventError, PullRequest, WorkflowRun

BASE = "b" * 40
PULL: dict[str, Any] = {
    "number": 3,
    "head": {"sha": HEAD, "repo": {"full_name": "Octo/Repo"}},
    "base": {"sha": BASE, "repo": {"full_name": "octo/repo"}},
}
RUN: dict[str, Any] = {
    "id": 99,
    "run_attempt": 2,
    "head_sha": HEAD,
    "head_branch": "a b&c#d=é+%20",
    "head_repository": {"full_name": "forker/repo"},
    "html_url": "https://github.com/octo/repo/actions/runs/99",
    "event": "pull_request",
}
PAYLOAD = {"pull_request": PULL, "repository": {"full_name": "octo/repo"}}
RUN_PAYLOAD = {"workflow_run": RUN, "repository": {"full_name": "octo/repo"}}


def changed(value: dict[str, Any], path: str, new: Any) -> dict[str, Any]:
    """A copy with another value at a dotted path."""
    made = copy.deepcopy(value)
    *keys, last = path.split(".")
    inner = made
    for key in keys:
        inner = inner[key]
    inner[last] = new
    return made


@pytest.mark.parametrize(
    "name", ["pull_request", "pull_request_target", "pull_request_review", "anything"]
)
def test_a_pull_request(name: str) -> None:
    found = event.pull_request_of(name, PAYLOAD)
    assert found == PullRequest(3, HEAD, BASE, from_fork=False)
    assert event.base_sha_of(name, PAYLOAD) == BASE


@pytest.mark.parametrize("repo", [{"full_name": "forker/repo"}, None, {}, {"full_name": 5}])
def test_a_pull_request_from_a_fork(repo: Any) -> None:
    payload = changed(PAYLOAD, "pull_request.head.repo", repo)
    found = event.pull_request_of("pull_request", payload)
    assert found is not None
    assert found.from_fork


@pytest.mark.parametrize("name", ["push", "workflow_dispatch", "schedule", "issue_comment"])
@pytest.mark.parametrize("payload", [{}, {"pull_request": None}, {"issue": {"pull_request": {}}}])
def test_events_about_no_pull_request(name: str, payload: dict[str, Any]) -> None:
    assert event.pull_request_of(name, payload) is None
    assert event.base_sha_of(name, payload) is None
    assert event.workflow_run_of(payload) is None
    assert not event.runs_foreign_code(name, payload)


BAD = [None, 0, -1, True, 1.0, 2**63, "", "1", "A" * 40, "a" * 41, "a\n" * 20, [], {}, [{}]]


@pytest.mark.parametrize("path", ["", ".number", ".head", ".base", ".head.sha", ".base.sha"])
@pytest.mark.parametrize("bad", BAD)
def test_a_pull_request_that_cannot_be(path: str, bad: Any) -> None:
    payload = changed(PAYLOAD, f"pull_request{path}", bad)
    with pytest.raises(EventError, match="no usable pull_request"):
        event.pull_request_of("pull_request", payload)


def test_a_merge_group() -> None:
    payload = {"merge_group": {"head_sha": HEAD, "base_sha": BASE}}
    assert event.base_sha_of("merge_group", payload) == BASE
    assert event.pull_request_of("merge_group", payload) is None
    for bad in BAD:
        with pytest.raises(EventError, match=r"merge_group\.base_sha"):
            event.base_sha_of("merge_group", changed(payload, "merge_group.base_sha", bad))
        with pytest.raises(EventError, match=r"merge_group\.base_sha"):
            event.base_sha_of("merge_group", {"merge_group": bad})


def test_a_workflow_run() -> None:
    assert event.workflow_run_of(RUN_PAYLOAD) == WorkflowRun(
        id=99,
        attempt=2,
        head_sha=HEAD,
        head_owner="forker",
        head_branch="a b&c#d=é+%20",
        head_repository="forker/repo",
        url="https://github.com/octo/repo/actions/runs/99",
        event="pull_request",
    )


def test_a_run_that_made_a_deployment_is_not_what_the_event_is_about() -> None:
    run = {key: value for key, value in RUN.items() if key != "head_repository"}
    assert event.workflow_run_of({"deployment": {}, "workflow_run": run}) is None


@pytest.mark.parametrize("key", list(RUN))
@pytest.mark.parametrize("bad", [None, 0, True, 1.5, "", [], "a\nb", "\ud800", "x\x7f", {}])
def test_a_workflow_run_that_cannot_be(key: str, bad: Any) -> None:
    with pytest.raises(EventError, match=rf"no usable workflow_run\.{key}"):
        event.workflow_run_of(changed(RUN_PAYLOAD, f"workflow_run.{key}", bad))


@pytest.mark.parametrize(
    "name", ["a/../b", "../x", "a/..", "a/.", "a", "a/b/c", "a/b\n", "a b/c", "/b", "a/", "é/b", 7]
)
def test_a_name_that_is_no_repository(name: Any) -> None:
    payload = changed(RUN_PAYLOAD, "workflow_run.head_repository.full_name", name)
    with pytest.raises(EventError):
        event.workflow_run_of(payload)
    assert event.runs_foreign_code("workflow_run", payload)


def test_whose_code_runs() -> None:
    own = changed(RUN_PAYLOAD, "workflow_run.head_repository.full_name", "OCTO/repo")
    assert not event.runs_foreign_code("workflow_run", own)
    assert event.runs_foreign_code("workflow_run", RUN_PAYLOAD)
    assert event.runs_foreign_code("workflow_run", {})
    assert event.runs_foreign_code("workflow_run", {"workflow_run": RUN})
    assert event.runs_foreign_code("workflow_run", changed(own, "repository", None))
    assert event.runs_foreign_code("pull_request_target", PAYLOAD)
    assert not event.runs_foreign_code("pull_request", PAYLOAD)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
PATHS = ["pull_request", *(f"pull_request.{key}" for key in PULL), "pull_request.head.repo"]
PATHS += ["workflow_run", "repository", *(f"workflow_run.{key}" for key in RUN)]
EVENTS = st.sampled_from(["pull_request", "push", "workflow_run", "merge_group"])


@given(EVENTS, st.sampled_from(PATHS), JSON)
def test_no_payload_ends_in_a_traceback(name: str, path: str, value: Any) -> None:
    payload = changed({**PAYLOAD, **RUN_PAYLOAD, "merge_group": {}}, path, value)
    for read in (
        lambda: event.pull_request_of(name, payload),
        lambda: event.workflow_run_of(payload),
        lambda: event.base_sha_of(name, payload),
        lambda: event.runs_foreign_code(name, payload),
    ):
        try:
            read()
        except EventError as caught:
            error = caught
        else:
            continue
        assert error.message.isprintable()
