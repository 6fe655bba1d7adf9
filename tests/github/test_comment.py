"""One comment a job: found, written over, never doubled, never put back to older news."""

import json
import threading
from typing import Any

import pytest
from calling import BOT, HEAD, READING, WRITING, Clock, api_of, marker
from hub import Fault, Github, Pull
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server import Server

from ragproof.github.api import ApiError
from ragproof.github.comment import Posted, find_pull_requests, keep_comment, room_for
from ragproof.github.event import PullRequest, WorkflowRun
from ragproof.github.marker import Marker, format_marker

COMMENTS = "/issues/1/comments"
URL = "https://github.com/octo-org/octo-repo/pull/1#issuecomment-"


def keep(
    server: Server,
    body: str = "new",
    mark: Marker | None = None,
    *,
    clock: Clock | None = None,
    create: bool = True,
    token: str = WRITING,
    author: str = BOT,
    number: int = 1,
    **settings: Any,
) -> Posted:
    api = api_of(server, clock, token, **settings)
    return keep_comment(api, number, body, mark or marker(), author, create=create)


def bodies(github: Github) -> list[str]:
    return [comment.body for comment in github.comments]


def text(body: str = "new", mark: Marker | None = None) -> str:
    return f"{format_marker(mark or marker())}\n{body}"


def writes(github: Github) -> list[str]:
    return [call for call in github.calls() if not call.startswith("GET")]


# Finding and writing


def test_the_first_run_writes_a_comment(server: Server) -> None:
    assert keep(server, "**passed**") == Posted(f"{URL}1", "")
    [comment] = server.github.comments
    assert (comment.number, comment.login) == (1, BOT)
    assert comment.body == text("**passed**")


def test_later_runs_write_over_it(server: Server) -> None:
    for run_id in (7, 8, 9):
        assert keep(server, str(run_id), marker(run_id)) == Posted(f"{URL}1", "")
    assert bodies(server.github) == [text("9", marker(9))]


def test_a_new_head_writes_over_it(server: Server) -> None:
    keep(server)
    server.github.pulls[1] = Pull(1, "c" * 40)
    later = marker(8, head="c" * 40)
    assert keep(server, "later", later).note == ""
    assert bodies(server.github) == [text("later", later)]


def test_an_unchanged_body_gets_the_new_marker(server: Server) -> None:
    keep(server, "same")
    keep(server, "same", marker(7, 2))
    assert bodies(server.github) == [text("same", marker(7, 2))]


def test_what_is_there_already_is_not_written_again(server: Server) -> None:
    keep(server, "same")
    assert keep(server, "same") == Posted(f"{URL}1", "")
    assert len(writes(server.github)) == 1


def test_line_ends_of_a_browser_do_not_hide_it(server: Server) -> None:
    server.github.comment(1, BOT, text("old\nlines").replace("\n", "\r\n"))
    keep(server)
    assert bodies(server.github) == [text()]


def test_each_key_has_its_own(server: Server) -> None:
    for key in ("a", "b", "a"):
        keep(server, key, marker(key=key))
    assert bodies(server.github) == [text("a", marker(key="a")), text("b", marker(key="b"))]


def test_it_is_found_on_the_third_page(server: Server) -> None:
    server.github.page_size = 2
    for number in range(5):
        server.github.comment(1, "octocat", f"comment {number}")
    server.github.comment(1, BOT, text("old"))
    server.github.comment(1, "octocat", "later")
    keep(server)
    assert len(server.github.comments) == 7
    assert bodies(server.github)[5] == text()
    assert len([call for call in server.github.calls("GET") if "comments" in call]) == 3


def test_of_several_the_first_is_kept_and_the_rest_left(server: Server) -> None:
    for body in ("one", "two"):
        server.github.comment(1, BOT, text(body))
    keep(server)
    assert bodies(server.github) == [text(), text("two")]


@pytest.mark.parametrize("login", ["octocat", "github-actions", "xgithub-actions[bot]", None])
def test_a_marker_of_another_author_is_not_ours(server: Server, login: str | None) -> None:
    forged = text("forged", marker(99, 99))
    server.github.comment(1, login, forged)
    assert keep(server).note == ""
    assert bodies(server.github) == [forged, text()]


@pytest.mark.parametrize("body", ["hello\n{}", "> {}", " {}", "```\n{}\n```", "{} and more"])
def test_a_marker_that_is_not_the_first_line_is_not_ours(server: Server, body: str) -> None:
    other = body.replace("{}", format_marker(marker(99, 99)))
    server.github.comment(1, BOT, other)
    assert keep(server).note == ""
    assert bodies(server.github) == [other, text()]


def test_markers_in_the_body_we_write_change_nothing(server: Server) -> None:
    forged = format_marker(marker(99, 99))
    keep(server, f"answer:\n{forged}\n")
    assert keep(server, "next", marker(8)).note == ""
    assert bodies(server.github) == [text("next", marker(8))]


@pytest.mark.parametrize("login", ["my-app[bot]", "My-App[bot]"])
def test_the_author_may_be_another(server: Server, login: str) -> None:
    server.github.tokens[WRITING] = server.github.tokens[WRITING]._replace(login="My-App[bot]")
    keep(server, author=login)
    keep(server, "again", marker(8), author=login)
    assert bodies(server.github) == [text("again", marker(8))]


def test_a_closed_pull_request_is_written_to(server: Server) -> None:
    server.github.pulls[1] = Pull(1, HEAD, state="closed")
    assert keep(server) == Posted(f"{URL}1", "")


def test_where_there_is_none_to_update(server: Server) -> None:
    posted = keep(server, create=False)
    assert posted == Posted(None, "pull request #1 has no comment to update")
    assert writes(server.github) == []


def test_one_that_is_there_is_updated_unasked(server: Server) -> None:
    keep(server)
    assert keep(server, "passes now", marker(8), create=False) == Posted(f"{URL}1", "")
    assert bodies(server.github) == [text("passes now", marker(8))]


# Older news


def test_a_run_of_an_older_head_writes_nothing(server: Server) -> None:
    server.github.pulls[1] = Pull(1, "c" * 40)
    posted = keep(server)
    assert posted.url is None
    assert "pull request #1 is at cccccccccccc by now, not at aaaaaaaaaaaa" in posted.note
    assert writes(server.github) == []


@pytest.mark.parametrize(("run_id", "attempt"), [(7, 2), (8, 1)])
def test_an_older_run_or_attempt_writes_nothing(server: Server, run_id: int, attempt: int) -> None:
    newer = text("newer", marker(run_id, attempt))
    server.github.comment(1, BOT, newer)
    posted = keep(server)
    assert posted == Posted(
        f"{URL}1", f"a later run ({run_id}) has already written the comment on pull request #1"
    )
    assert bodies(server.github) == [newer]
    assert writes(server.github) == []


def newer_comes(github: Github) -> None:
    """Another run writes while ours waits."""
    mine = next((one for one in github.comments if one.login == BOT), None)
    newer = text("newer", marker(8))
    if mine is None:
        github.comment(1, BOT, newer)
    else:
        github.comments[github.comments.index(mine)] = mine._replace(body=newer)


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("how", ["answer", "drop", "cut"])
def test_a_newer_run_that_comes_in_between_is_not_overwritten(
    server: Server, there: bool, how: str
) -> None:
    if there:
        keep(server, "old", marker(6))
    method, path = ("PATCH", "/issues/comments/1") if there else ("POST", COMMENTS)
    server.github.faults.append(Fault(method, path, how, status=503, meanwhile=newer_comes))
    posted = keep(server)
    assert "a later run (8)" in posted.note
    assert bodies(server.github) == [text("newer", marker(8))]


def test_a_push_in_between_ends_it(server: Server) -> None:
    def push(github: Github) -> None:
        github.pulls[1] = Pull(1, "c" * 40)

    server.github.faults.append(Fault("POST", COMMENTS, status=502, meanwhile=push))
    assert "by now" in keep(server).note
    assert server.github.comments == []


# Faults


@pytest.mark.parametrize("how", ["answer", "hang", "cut", "drop"])
@pytest.mark.parametrize("times", [1, 3])
def test_a_comment_that_was_written_unheard_is_not_written_twice(
    server: Server, how: str, times: int
) -> None:
    for method, path in (("POST", COMMENTS), ("PATCH", "/issues/comments/1")):
        server.github.faults.append(Fault(method, path, how, after=True, times=times))
    assert keep(server, timeout_s=0.3) == Posted(f"{URL}1", "")
    assert bodies(server.github) == [text()]
    assert len(server.github.calls("POST")) == 1


@pytest.mark.parametrize("how", ["answer", "hang", "cut", "drop"])
def test_a_comment_that_was_not_written_is_written(server: Server, how: str) -> None:
    server.github.faults.append(Fault("POST", COMMENTS, how, times=2))
    assert keep(server, timeout_s=0.3) == Posted(f"{URL}1", "")
    assert bodies(server.github) == [text()]
    assert len(server.github.calls("POST")) == 3


@pytest.mark.parametrize("headers", [{"Retry-After": "3"}, {}])
def test_a_write_that_meets_a_rate_limit_is_repeated(
    server: Server, headers: dict[str, str]
) -> None:
    body = {"message": "You have exceeded a secondary rate limit."}
    server.github.faults.append(Fault("POST", COMMENTS, "answer", 403, headers, body))
    clock = Clock()
    assert keep(server, clock=clock) == Posted(f"{URL}1", "")
    [wait] = clock.waits
    assert wait >= (3 if headers else 60)
    assert bodies(server.github) == [text()]


def test_a_comment_that_was_deleted_is_made_anew(server: Server) -> None:
    keep(server)
    server.github.comments.clear()
    assert keep(server, "again", marker(8)) == Posted(f"{URL}2", "")
    assert bodies(server.github) == [text("again", marker(8))]


@pytest.mark.parametrize("create", [True, False])
def test_a_comment_that_is_deleted_in_between(server: Server, create: bool) -> None:
    keep(server)
    server.github.faults.append(
        Fault("PATCH", "/issues/comments/1", "none", meanwhile=lambda hub: hub.comments.clear())
    )
    posted = keep(server, "again", marker(8), create=create)
    assert posted.url == (f"{URL}2" if create else None)
    assert bodies(server.github) == ([text("again", marker(8))] if create else [])


def test_a_list_that_lags_behind_a_deletion_does_not_go_round_in_circles(server: Server) -> None:
    keep(server)
    server.github.faults.append(Fault("PATCH", "/issues/comments/1", status=404, times=99))
    assert keep(server, "again", marker(8)).url == f"{URL}2"
    assert len(server.github.calls("PATCH")) == 1


@pytest.mark.parametrize("there", [False, True])
def test_a_read_only_token(server: Server, there: bool) -> None:
    if there:
        keep(server)
    clock = Clock()
    with pytest.raises(ApiError) as caught:
        keep(server, "again", marker(8), token=READING, clock=clock)
    assert caught.value.status == 403
    assert "`permissions: pull-requests: write`" in caught.value.hint
    assert "fork" in caught.value.hint
    assert "Dependabot" in caught.value.hint
    assert clock.waits == []
    assert bodies(server.github) == ([text()] if there else [])


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_fault_that_stays_ends_within_the_budget(server: Server, status: int) -> None:
    server.github.faults.append(Fault("POST", COMMENTS, status=status, times=99))
    clock = Clock()
    with pytest.raises(ApiError, match=f"does not write a comment: HTTP {status}"):
        keep(server, clock=clock, budget_s=4.0)
    assert sum(clock.waits) <= 4.0
    assert server.github.comments == []


@pytest.mark.parametrize(
    "reply",
    [
        [None, 5, "text", [], {}],
        [{"user": None, "body": None, "id": None}],
        [{"user": "github-actions[bot]", "body": text(), "id": 1}],
        [{"user": {"login": BOT}, "body": [text()], "id": 1}],
        [{"user": {"login": BOT}, "body": text(), "id": "1/../../../2"}],
        [{"user": {"login": 5}, "body": text(), "id": 1}],
    ],
)
def test_comments_of_other_shapes_are_not_ours(server: Server, reply: list[Any]) -> None:
    server.github.faults.append(Fault("GET", COMMENTS, status=200, body=reply))
    assert keep(server).url == f"{URL}1"


@pytest.mark.parametrize("reply", [None, [], {}, {"head": 5}, {"head": {"sha": "zz"}}])
def test_a_pull_request_of_another_shape(server: Server, reply: Any) -> None:
    server.github.faults.append(Fault("GET", "/pulls/1", status=200, body=reply))
    with pytest.raises(ApiError, match="no usable pull request"):
        keep(server)
    assert writes(server.github) == []


@pytest.mark.parametrize(
    "reply", [None, [], {}, {"html_url": 5}, {"html_url": "https://a b"}, {"html_url": "x\ny"}]
)
def test_an_address_that_is_none_is_not_handed_on(server: Server, reply: Any) -> None:
    server.github.faults.append(Fault("POST", COMMENTS, status=201, body=reply, after=True))
    assert keep(server) == Posted(None, "")


def test_a_pull_request_that_is_not_there(server: Server) -> None:
    with pytest.raises(ApiError) as caught:
        keep(server, number=99)
    assert caught.value.status == 404


# Length


@pytest.mark.parametrize("character", ["x", "ü", "漢", "😀"])
def test_the_longest_body_fits(server: Server, character: str) -> None:
    units = len(character.encode("utf-16-le")) // 2
    room = room_for(marker())
    body = character * (room // units) + "x" * (room % units)
    assert keep(server, body).note == ""
    assert bodies(server.github) == [text(body)]
    sent = len(server.github.calls())
    with pytest.raises(ApiError, match="65,537 characters is too long"):
        keep(server, body + "x")
    assert len(server.github.calls()) == sent


def test_halves_of_surrogate_pairs_are_replaced(server: Server) -> None:
    keep(server, "a\ud800b")
    assert bodies(server.github) == [text("a\ufffdb")]


@given(body=st.text(max_size=300), key=st.text(st.characters(), max_size=40))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_body_is_written_and_found_again(server: Server, body: str, key: str) -> None:
    server.github.comments.clear()
    server.github.remaining = 1000
    keep(server, body, marker(1, key=key))
    keep(server, body + "!", marker(2, key=key))
    assert bodies(server.github) == [text(body + "!", marker(2, key=key))]


def test_two_jobs_at_once_write_two_comments(server: Server) -> None:
    keys = [f"job {number}" for number in range(8)]
    threads = [threading.Thread(target=keep, args=(server, key, marker(key=key))) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bodies(server.github)) == sorted(text(key, marker(key=key)) for key in keys)


# The pull request of a run


def run_of(branch: str = "topic", repository: str = "octo-org/octo-repo") -> WorkflowRun:
    owner = repository.partition("/")[0]
    return WorkflowRun(7, 1, HEAD, owner, branch, repository, "https://x/", "pull_request")


BRANCHES = [
    "topic",
    "feature/a b",
    "a&state=all",
    "a#b",
    "a+b",
    "a%20b",
    "a?b=c",
    "ü/漢字😀",
    "a:b",
    "a'\"b;c",
    "-x",
    "..",
]


@pytest.mark.parametrize("branch", BRANCHES)
def test_the_pull_request_of_a_branch(server: Server, branch: str) -> None:
    fork = "forker/octo-repo"
    server.github.pulls = {
        2: Pull(2, HEAD, head_repository=fork, head_branch="other"),
        3: Pull(3, HEAD, head_repository=fork, head_branch=branch),
        4: Pull(4, HEAD, head_repository="octo-org/octo-repo", head_branch=branch),
        5: Pull(5, HEAD, head_repository=fork, head_branch=branch, state="closed"),
    }
    found = find_pull_requests(api_of(server), run_of(branch, fork))
    assert found == [PullRequest(3, HEAD, "b" * 40, from_fork=True)]
    [exchange] = server.github.exchanges
    assert exchange.request.query == {
        "state": "open",
        "head": f"forker:{branch}",
        "per_page": "100",
    }


def test_one_of_this_repository_is_from_no_fork(server: Server) -> None:
    found = find_pull_requests(api_of(server), run_of())
    assert found == [PullRequest(1, HEAD, "b" * 40, from_fork=False)]


@pytest.mark.parametrize(
    "pull",
    [
        Pull(1, "c" * 40),
        Pull(1, HEAD, head_repository="octo-org/other-fork"),
        Pull(1, HEAD, head_branch="other"),
        Pull(1, HEAD, state="closed"),
    ],
)
def test_commit_branch_and_repository_must_be_the_runs(server: Server, pull: Pull) -> None:
    server.github.pulls[1] = pull
    assert find_pull_requests(api_of(server), run_of()) == []


def test_a_fork_that_is_gone_has_none(server: Server) -> None:
    item = {"number": 1, "head": {"sha": HEAD, "repo": None}, "base": {"sha": "b" * 40}}
    server.github.faults.append(Fault("GET", "/pulls", status=200, body=[item]))
    assert find_pull_requests(api_of(server), run_of()) == []


@pytest.mark.parametrize("item", [None, 5, "x", [], {}, {"head": 5}, {"head": {"repo": 5}}])
def test_items_of_other_shapes_are_none(server: Server, item: Any) -> None:
    server.github.faults.append(Fault("GET", "/pulls", status=200, body=[item]))
    assert find_pull_requests(api_of(server), run_of()) == []


def test_several_pull_requests_of_one_branch_over_pages(server: Server) -> None:
    server.github.page_size = 1
    server.github.pulls = {number: Pull(number, HEAD) for number in (1, 2, 3)}
    found = find_pull_requests(api_of(server), run_of())
    assert [pull.number for pull in found] == [1, 2, 3]


def test_what_is_sent_is_json(server: Server) -> None:
    keep(server, "ü\u2028😀")
    [exchange] = [one for one in server.github.exchanges if one.request.method == "POST"]
    assert json.loads(exchange.request.body) == {"body": text("ü\u2028😀")}
