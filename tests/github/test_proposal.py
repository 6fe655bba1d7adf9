"""One pull request with new files: opened, brought up to date, never doubled, never over the
work of people."""

from collections.abc import Callable
from typing import Any

import pytest
from calling import READING, WRITING, Clock, api_of
from hub import PROPOSER, READER, WRITER, Fault, Github, Token
from hypothesis import given
from hypothesis import strategies as st
from repository import Repository
from server import Server

from ragproof.github.api import ApiError
from ragproof.github.gitdata import is_branch
from ragproof.github.proposal import Proposal, Proposed, check_branch, propose
from ragproof.github.stamp import Stamp, read_stamp, stamped

BASE = "d" * 40
BRANCH = "ragproof/regenerate"
FILES = {"evals/set.jsonl": b"{}\n", "evals/set.frozen.json": "ü\r\n".encode() + bytes(range(256))}
PULL = "https://github.com/octo-org/octo-repo/pull/2"
OPENED = Proposed(PULL, "", bot=True)
STEPS = [
    ("POST", "/git/blobs"),
    ("POST", "/git/trees"),
    ("POST", "/git/commits"),
    ("POST", "/git/refs"),
    ("POST", "/pulls"),
]
"""All calls that the first proposal writes with."""


@pytest.fixture(autouse=True)
def _branches(github: Github) -> None:
    github.tokens[WRITING] = Token(permissions=PROPOSER)
    github.git.commit("main", {"README.md": b"hello", "evals/set.jsonl": b"old\n"}, sha=BASE)


def proposal(run_id: int = 7, attempt: int = 1, **changes: Any) -> Proposal:
    made = Proposal(
        branch=BRANCH,
        base="main",
        commit=BASE,
        files=FILES,
        core=frozenset({"evals/set.jsonl"}),
        title="Regenerate the set",
        message="Regenerate the set\n\n2 added",
        body="what changed\n\nand why",
        run_id=run_id,
        attempt=attempt,
    )
    return made._replace(**changes)


def run(
    server: Server, token: str = WRITING, clock: Clock | None = None, **changes: Any
) -> Proposed:
    return propose(api_of(server, clock, token), proposal(**changes))


def failing(call: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        call()
    return caught.value


def writes(github: Github) -> list[str]:
    return [call for call in github.calls() if not call.startswith("GET")]


def ours(github: Github) -> list[int]:
    return [one.number for one in github.pulls.values() if one.head_branch == BRANCH]


def once(github: Github, files: dict[str, bytes] | None = None) -> None:
    """One branch with these files on top of the base, and one pull request."""
    expected = {"README.md": b"hello", **(FILES if files is None else files)}
    assert github.git.files(BRANCH) == expected
    assert ours(github) == [2]
    assert (github.pulls[2].title, github.pulls[2].base_branch) == ("Regenerate the set", "main")


# The first proposal


def test_the_first_proposal(server: Server, github: Github) -> None:
    assert run(server) == OPENED
    once(github)
    assert github.pulls[2].body == "what changed\n\nand why"
    head = github.git.history(BRANCH)[0]
    assert head.parents == (BASE,)
    assert head.message.startswith("Regenerate the set\n\n2 added\n\nRagproof-Proposal: ")
    assert read_stamp(head.message) == Stamp(head.tree, 7, 1)
    assert github.git.branches["main"] == BASE


def test_no_author_is_named(server: Server, github: Github) -> None:
    """GitHub signs the commits of those who name none."""
    run(server)
    [made] = [one.request for one in github.exchanges if one.request.path.endswith("/git/commits")]
    assert set(made.json) == {"message", "tree", "parents"}


def test_a_branch_without_a_pull_request_gets_one(server: Server, github: Github) -> None:
    run(server)
    del github.pulls[2]
    assert run(server) == OPENED
    once(github)
    assert len(github.git.commits) == 2


def test_files_that_are_there_already_are_not_proposed(server: Server, github: Github) -> None:
    done = run(server, files={"evals/set.jsonl": b"old\n", "evals/log": b"another each time"})
    assert done == Proposed(None, "main has exactly this evals/set.jsonl already")
    assert BRANCH not in github.git.branches
    assert ours(github) == []
    assert len(github.git.commits) == 1


def test_an_old_proposal_is_named_where_nothing_is_new(server: Server, github: Github) -> None:
    run(server)
    done = run(server, files={"evals/set.jsonl": b"old\n"})
    assert done.url is None
    assert "pull request #2" in done.note


# Later ones


def test_later_runs_bring_it_up_to_date(server: Server, github: Github) -> None:
    run(server)
    for number in (8, 9):
        files = {**FILES, "evals/set.jsonl": b"%d" % number}
        assert run(server, run_id=number, files=files, body=str(number)) == OPENED
        once(github, files)
        assert github.pulls[2].body == str(number)
    assert not [one for one in github.exchanges if b'"force": true' in one.request.body]
    assert len(github.git.history(BRANCH)) == 4, "each stands on the one before"


def test_a_file_that_is_no_longer_proposed_is_as_in_the_base(
    server: Server, github: Github
) -> None:
    run(server)
    run(server, run_id=8, files={"evals/other": b"other"}, core=frozenset({"evals/other"}))
    once(github, {"evals/set.jsonl": b"old\n", "evals/other": b"other"})


def test_the_same_again_writes_nothing_new(server: Server, github: Github) -> None:
    run(server)
    github.exchanges.clear()
    assert run(server, run_id=8) == OPENED
    assert {call.partition("/git/")[2] for call in writes(github)} == {"blobs", "trees"}
    once(github)


def test_the_base_moves_on(server: Server, github: Github) -> None:
    run(server)
    later = github.git.commit("main", {"new": b"new"})
    run(server, run_id=8, commit=later)
    once(github, {**FILES, "new": b"new"})
    assert github.git.holds(BRANCH, later)
    github.exchanges.clear()
    run(server, run_id=9, commit=later)
    assert not [call for call in writes(github) if call.endswith("/git/commits")]


def test_the_base_changes_the_same_file(server: Server, github: Github) -> None:
    """The new files are the same again, but people must not be left with a conflict."""
    run(server)
    later = github.git.commit("main", {"evals/set.jsonl": b"by hand"})
    run(server, run_id=8, commit=later)
    once(github)
    assert github.git.holds(BRANCH, later)


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_what_is_over_is_begun_anew(server: Server, github: Github, state: str) -> None:
    run(server)
    github.pulls[2] = github.pulls[2]._replace(state="closed")
    base = BASE
    if state == "merged":
        base = github.git.commit("main", FILES, "squashed")
    done = run(server, run_id=8, commit=base, files={"evals/set.jsonl": b"next"})
    assert done == Proposed(PULL.replace("/2", "/3"), "", bot=True)
    head, before = github.git.history(BRANCH)[:2]
    assert head.parents == (base,), "nothing of the old proposal is in its history"
    assert before == github.git.commits[base]


@pytest.mark.parametrize(("run_id", "attempt"), [(6, 9), (7, 1)])
def test_a_later_run_has_the_last_word(
    server: Server, github: Github, run_id: int, attempt: int
) -> None:
    run(server, attempt=2)
    done = run(server, run_id=run_id, attempt=attempt, files={"evals/set.jsonl": b"late"})
    assert done == Proposed(PULL, f"a later run has already proposed on {BRANCH}")
    once(github)


def test_a_new_attempt_of_the_same_run_writes(server: Server, github: Github) -> None:
    run(server)
    files = {"evals/set.jsonl": b"second try"}
    assert run(server, attempt=2, files=files) == OPENED
    once(github, files)


# The work of people


def edited(git: Repository) -> None:
    git.commit(BRANCH, {"evals/set.jsonl": b"better"}, "Better wording")


def amended(git: Repository) -> None:
    message = git.history(BRANCH)[0].message
    git.branches[BRANCH] = BASE
    git.commit(BRANCH, {**FILES, "evals/set.jsonl": b"better"}, message)


def merged_into(git: Repository) -> None:
    git.commit(BRANCH, {"new": b"new"}, f"Merge branch 'main' into {BRANCH}")


@pytest.mark.parametrize("change", [edited, amended, merged_into])
def test_a_branch_that_people_work_on_is_left_alone(
    server: Server, github: Github, change: Callable[[Repository], None]
) -> None:
    run(server)
    change(github.git)
    before = github.git.branches[BRANCH]
    github.exchanges.clear()
    error = failing(lambda: run(server, run_id=8, files={"evals/set.jsonl": b"x"}))
    assert "a commit that ragproof did not make" in error.message
    assert before[:12] in error.message
    assert "delete the branch" in error.hint
    assert github.git.branches[BRANCH] == before
    assert writes(github) == []
    assert failing(lambda: check_branch(api_of(server), BRANCH, "main")).message == error.message


def test_a_branch_of_theirs_is_left_alone(server: Server, github: Github) -> None:
    github.git.commit(BRANCH, {"mine": b"mine"})
    assert "ragproof did not make" in failing(lambda: run(server)).message


def test_people_may_come_meanwhile(server: Server, github: Github) -> None:
    """Between our last look and our writing somebody pushes."""
    run(server)
    moves = f"/git/refs/heads/{BRANCH}"
    push = Fault("PATCH", moves, "none", meanwhile=lambda github: edited(github.git))
    github.faults.append(push)
    error = failing(lambda: run(server, run_id=8, files={"evals/set.jsonl": b"x"}))
    assert "ragproof did not make" in error.message
    assert github.git.files(BRANCH)["evals/set.jsonl"] == b"better"


@pytest.mark.parametrize("number", [7, 99])
def test_another_run_may_come_meanwhile(server: Server, github: Github, number: int) -> None:
    def other(github: Github) -> None:
        github.git.branches[BRANCH] = BASE
        made = github.git.commits[github.git.commit(BRANCH, {"evals/set.jsonl": b"other"})]
        message = stamped("Regenerate", Stamp(made.tree, number, 1))
        github.git.branches[BRANCH] = github.git.add(made._replace(message=message))

    github.faults.append(Fault("POST", "/git/refs", "none", meanwhile=other))
    done = run(server, run_id=8)
    if number == 99:
        assert "a later run" in done.note
        assert github.git.files(BRANCH)["evals/set.jsonl"] == b"other"
        assert ours(github) == [], "the later run opens it"
    else:
        assert done == OPENED
        once(github)


def test_a_pull_request_that_appears_meanwhile(server: Server, github: Github) -> None:
    def other(github: Github) -> None:
        pull = github.pulls[1]._replace(number=2, head_branch=BRANCH, title="theirs")
        github.pulls[2] = pull

    github.faults.append(Fault("POST", "/pulls", "none", meanwhile=other))
    assert run(server) == Proposed(PULL, "")
    once(github)


def test_a_branch_that_is_deleted_meanwhile(server: Server, github: Github) -> None:
    run(server)
    gone = Fault(
        "PATCH",
        f"/git/refs/heads/{BRANCH}",
        "none",
        meanwhile=lambda github: github.git.branches.pop(BRANCH),
    )
    github.faults.append(gone)
    run(server, run_id=8, files={"evals/set.jsonl": b"x"})
    once(github, {"evals/set.jsonl": b"x"})


# Faults


@pytest.mark.parametrize("after", [False, True], ids=["lost", "done"])
@pytest.mark.parametrize("how", ["answer", "cut", "drop"])
@pytest.mark.parametrize(("method", "path"), STEPS)
def test_a_call_that_fails_doubles_nothing(
    server: Server, github: Github, method: str, path: str, how: str, after: bool
) -> None:
    github.faults.append(Fault(method, path, how, after=after, times=2))
    assert run(server) == OPENED
    once(github)


@pytest.mark.parametrize("after", [False, True], ids=["lost", "done"])
@pytest.mark.parametrize("path", [f"/git/refs/heads/{BRANCH}", "/pulls/2"])
def test_an_update_that_fails_doubles_nothing(
    server: Server, github: Github, path: str, after: bool
) -> None:
    run(server)
    github.faults.append(Fault("PATCH", path, "drop", after=after))
    files = {"evals/set.jsonl": b"x"}
    assert run(server, run_id=8, files=files, body="new") == OPENED
    once(github, files)
    assert github.pulls[2].body == "new"
    assert len(github.git.history(BRANCH)) == 3


@pytest.mark.parametrize(("method", "path"), STEPS)
def test_a_fault_that_does_not_pass_ends_it(
    server: Server, github: Github, method: str, path: str
) -> None:
    github.faults.append(Fault(method, path, status=502, times=99))
    clock = Clock()
    error = failing(lambda: run(server, clock=clock))
    assert error.status == 502
    assert 0 < sum(clock.waits) <= 75


def test_a_refusal_is_told_at_once(server: Server, github: Github) -> None:
    body = {"message": "Repository rule violations found"}
    github.faults.append(Fault("POST", "/git/refs", status=422, body=body))
    clock = Clock()
    error = failing(lambda: run(server, clock=clock))
    assert "rule violations" in error.message
    assert clock.waits == []


# Rights


@pytest.mark.parametrize(
    ("permissions", "needed"),
    [
        (WRITER, "contents: write"),
        (READER, "contents: write"),
        ({"contents": "write", "pull-requests": "read"}, "pull-requests: write"),
    ],
)
def test_a_right_that_is_missing_is_named(
    server: Server, github: Github, permissions: dict[str, str], needed: str
) -> None:
    github.tokens[READING] = Token(permissions=permissions)
    error = failing(lambda: run(server, READING))
    assert error.status == 403
    assert f"`permissions: {needed}`" in error.hint
    assert "the job that calls it" in error.hint
    assert "fork" not in error.hint


def test_the_setting_that_forbids_it_is_named(server: Server, github: Github) -> None:
    github.may_open_pulls = False
    clock = Clock()
    error = failing(lambda: run(server, clock=clock))
    assert "Allow GitHub Actions to create and approve pull requests" in error.hint
    assert "App" in error.hint
    assert clock.waits == []
    assert github.git.files(BRANCH)["evals/set.jsonl"] == FILES["evals/set.jsonl"]
    github.may_open_pulls = True
    assert run(server) == OPENED
    once(github)


def test_a_commit_that_github_does_not_have(server: Server) -> None:
    error = failing(lambda: run(server, commit="e" * 40))
    assert error.status == 404
    assert "read a commit" in error.message


# Names


def test_a_pull_request_into_another_branch(server: Server, github: Github) -> None:
    github.git.commit("develop", {"README.md": b"hello"}, sha="e" * 40)
    run(server)
    error = failing(lambda: run(server, base="develop", commit="e" * 40, run_id=8))
    assert "#2 would merge" in error.message
    assert "branch" in error.hint


def test_a_branch_of_the_same_name_in_a_fork_is_another(server: Server, github: Github) -> None:
    github.pulls[1] = github.pulls[1]._replace(
        head_repository="octo-org/copy-of-it", head_branch=BRANCH
    )
    assert run(server) == OPENED
    assert github.pulls[1].title == "A change"


@pytest.mark.parametrize("name", ["a", "ragproof/regenerate", "v1.2_3-x", "a/b/c"])
def test_names_that_can_be(server: Server, github: Github, name: str) -> None:
    run(server, branch=name)
    assert github.git.files(name)["evals/set.jsonl"] == b"{}\n"


@pytest.mark.parametrize(
    "name",
    ["", "/", "a/", "/a", "a//b", ".a", "a/.b", "a..b", "a.lock", "a.lock/b", "a.", "-a", "a b",
     "a?b", "a#b", "a%2fb", "ä", "a\n", "a:b", "a~1", "a^", "a@{b", "x" * 201],
)  # fmt: skip
def test_names_that_cannot_be(server: Server, github: Github, name: str) -> None:
    assert "branch" in failing(lambda: run(server, branch=name)).message
    assert github.exchanges == []


def test_nothing_is_proposed_to_itself(server: Server, github: Github) -> None:
    error = failing(lambda: run(server, branch="main"))
    assert "to itself" in error.message
    assert github.exchanges == []


@given(st.text(), st.text("0123456789abcdef", min_size=40, max_size=40), st.integers(0, 10**18 - 1))
def test_a_stamp_is_read_from_the_last_line_only(message: str, tree: str, number: int) -> None:
    stamp = Stamp(tree, number, 1)
    text = stamped(message, stamp)
    assert read_stamp(text) == stamp
    assert read_stamp(text.replace("\n", "\r\n")) == stamp
    assert read_stamp(f"{text}\n{message}x") is None


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_names_of_branches_need_no_escape(name: str) -> None:
    if is_branch(name):
        assert not set(name) & set(' ~^:?*[\\"%#&@{}')
        assert not name.startswith(("/", "-", "."))
