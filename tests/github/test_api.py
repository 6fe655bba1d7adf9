"""Calls: what is sent, what is repeated and for how long, and that no token leaks."""

import base64
import gzip
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import requests
from calling import READING, WRITING, Clock, api_at, api_of
from certificates import self_signed
from faultserver import FaultServer, Wire, answering, reply
from faultserver import Request as FaultRequest
from hub import Fault, Github, Token
from server import Server

from ragproof.github.api import Api, ApiError
from ragproof.github.refusal import refused

COMMENTS = "/issues/1/comments"


def failing(call: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        call()
    return caught.value


def fault(how: str = "answer", path: str = "/pulls/1", **more: Any) -> Fault:
    return Fault("GET", path, how, **more)


def said(message: str) -> dict[str, str]:
    return {"message": message}


# What is sent


@pytest.mark.parametrize("prefix", ["", "/", "/api/v3", "/api/v3/"])
def test_a_call(server: Server, prefix: str) -> None:
    assert api_at(server.url + prefix).get("/pulls/1")["number"] == 1
    [exchange] = server.github.exchanges
    headers = exchange.request.headers
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["authorization"] == f"Bearer {WRITING}"
    assert headers["user-agent"].startswith("ragproof/")
    assert headers["x-github-api-version"] == "2022-11-28"
    assert "cookie" not in headers


def test_a_token_may_have_space_around_it(server: Server) -> None:
    assert api_of(server, token=f" {WRITING}\n").get("/pulls/1")["number"] == 1


@pytest.mark.parametrize("token", ["", " \n", "a b", "ghs_a\nX-Injected: 1", "ghs_é", "ghs_\x00x"])
def test_a_token_that_cannot_be(token: str) -> None:
    error = failing(lambda: api_at("http://127.0.0.1", token=token))
    assert "token" in error.message
    assert "github-token" in error.hint
    assert "Injected" not in error.message + error.hint


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.github.com",
        "ftp://api.github.com",
        "file:///etc/passwd",
        "http://",
        "http://user@host",
        "http://host:99999",
        "http://[::1",
        "http://host:x",
    ],
)
def test_an_address_that_cannot_be(url: str) -> None:
    error = failing(lambda: api_at(url))
    assert "no address of an API" in error.message
    assert "GITHUB_API_URL" in error.hint


@pytest.mark.parametrize("name", ["", "octo-repo", "a/b/c", "../a", "a/..", "a/b?c", "a/b#c"])
def test_a_repository_that_cannot_be(name: str) -> None:
    error = failing(lambda: api_at("http://127.0.0.1", repository=name))
    assert "no repository" in error.message


# What is repeated


@pytest.mark.parametrize("how", ["cut", "drop"])
def test_a_broken_connection_is_tried_again(server: Server, how: str) -> None:
    server.github.faults.append(fault(how, times=2))
    clock = Clock()
    assert api_of(server, clock).get("/pulls/1")["number"] == 1
    assert len(server.github.calls()) == 3
    first, second = clock.waits
    assert 0.25 <= first <= 0.5 <= second <= 1.0


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_fault_is_tried_again(server: Server, status: int) -> None:
    server.github.faults.append(fault(status=status, times=3))
    clock = Clock()
    assert api_of(server, clock).get("/pulls/1")["number"] == 1
    assert len(clock.waits) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 422, 451, 304])
def test_a_final_fault_is_not(server: Server, status: int) -> None:
    server.github.faults.append(fault(status=status, times=9))
    clock = Clock()
    error = failing(lambda: api_of(server, clock).get("/pulls/1"))
    assert (error.status, error.passing, clock.waits) == (status, False, [])
    assert error.message == f"GitHub does not read the pull request: HTTP {status}"
    assert error.hint
    assert len(server.github.calls()) == 1


def test_one_that_hangs_is_tried_again(server: Server) -> None:
    server.github.faults.append(fault("hang"))
    assert api_of(server, timeout_s=0.2).get("/pulls/1")["number"] == 1
    assert len(server.github.calls()) == 2


def test_tries_end(server: Server) -> None:
    server.github.faults.append(fault(status=503, times=99))
    clock = Clock()
    error = failing(lambda: api_of(server, clock).get("/pulls/1"))
    assert (error.status, error.passing) == (503, True)
    assert len(server.github.calls()) == 6
    assert sum(clock.waits) <= 15.5


def test_waits_of_all_calls_end_with_their_budget(server: Server) -> None:
    server.github.faults.append(fault(status=503, times=99))
    clock = Clock()
    api = api_of(server, clock, budget_s=3.0)
    for _ in range(4):
        failing(lambda: api.get("/pulls/1"))
    assert 2.5 <= sum(clock.waits) <= 3.0


def test_failed_calls_take_from_the_budget_too(server: Server) -> None:
    server.github.faults.append(fault("hang", times=99))
    clock = Clock()
    api = api_of(server, clock, budget_s=0.5, timeout_s=0.3)
    began = time.monotonic()
    error = failing(lambda: api.get("/pulls/1"))
    assert "0.3 s" in error.message
    assert time.monotonic() - began + sum(clock.waits) < 0.5 + 0.3 + 0.3
    assert len(server.github.calls()) <= 3


def test_a_body_that_drips_ends_in_time() -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(1000):
                try:
                    self.wfile.write(b" ")
                except OSError:
                    return
                time.sleep(0.05)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Dripping) as http:
        thread = Thread(target=http.handle_request)
        thread.start()
        began = time.monotonic()
        api = api_at(f"http://127.0.0.1:{http.server_address[1]}", timeout_s=0.3, budget_s=0)
        error = failing(lambda: api.get("/pulls/1"))
        assert time.monotonic() - began < 1.5
        thread.join()
    assert "no complete answer within 0.3 s" in error.message


def test_a_call_that_writes_is_made_once(server: Server) -> None:
    server.github.faults.append(Fault("POST", COMMENTS, status=502))
    clock = Clock()
    error = failing(lambda: api_of(server, clock).post(COMMENTS, {"body": "a"}))
    assert error.passing
    assert clock.waits == []
    assert len(server.github.calls("POST")) == 1


# Rate limits


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("after", ["5", "0"])
def test_a_secondary_limit_says_how_long(server: Server, status: int, after: str) -> None:
    body = said("You have exceeded a secondary rate limit.")
    server.github.faults.append(fault(status=status, headers={"Retry-After": after}, body=body))
    clock = Clock()
    assert api_of(server, clock).get("/pulls/1")["number"] == 1
    [wait] = clock.waits
    assert int(after) <= wait <= int(after) + 1


@pytest.mark.parametrize(
    "message",
    [
        "You have exceeded a secondary rate limit. Please wait a few minutes.",
        "You have triggered an abuse detection mechanism.",
    ],
)
def test_a_secondary_limit_that_does_not_say_takes_a_minute(server: Server, message: str) -> None:
    server.github.faults.append(fault(status=403, body=said(message)))
    clock = Clock()
    assert api_of(server, clock).get("/pulls/1")["number"] == 1
    [wait] = clock.waits
    assert 60 <= wait <= 61


def test_a_primary_limit_is_waited_for(server: Server) -> None:
    clock = Clock()
    server.github.remaining = 0
    server.github.reset = int(clock.wall()) + 20
    assert api_of(server, clock).get("/pulls/1")["number"] == 1
    [wait] = clock.waits
    assert 19 <= wait <= 22
    assert len(server.github.calls()) == 2


def test_a_limit_beyond_the_budget_is_said_at_once(server: Server) -> None:
    clock = Clock()
    server.github.remaining = 0
    server.github.reset = 4102444800  # 2100-01-01
    error = failing(lambda: api_of(server, clock).get("/pulls/1"))
    assert (error.status, error.passing, clock.waits) == (403, True, [])
    assert "rate limit exceeded" in error.message
    assert "ends at 2100-01-01 00:00:01 UTC" in error.hint
    assert len(server.github.calls()) == 1


def test_the_last_call_of_a_limit_may_lack_a_permission(server: Server) -> None:
    server.github.remaining = 1
    server.github.reset = int(time.time()) + 10
    clock = Clock()
    error = failing(lambda: api_of(server, clock, READING).post(COMMENTS, {"body": "a"}))
    assert server.github.exchanges[0].reply is not None
    assert server.github.remaining == 0
    assert "pull-requests: write" in error.hint
    assert not error.passing


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9" * 400},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9" * 12},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "-5"},
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": ""},
        {"Retry-After": "soon"},
        {"Retry-After": "-1"},
        {"Retry-After": "9" * 5000},
        {"Retry-After": "9" * 20},
        {"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"},
        {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"},
    ],
)
def test_limits_of_any_kind_end_in_an_answer_or_an_error(
    server: Server, status: int, headers: dict[str, str]
) -> None:
    server.github.faults.append(fault(status=status, headers=headers, times=99))
    clock = Clock()
    error = failing(lambda: api_of(server, clock).get("/pulls/1"))
    assert error.status == status
    assert error.hint.isprintable()
    assert sum(clock.waits) <= 75


def test_a_limit_without_a_date_has_a_hint_all_the_same() -> None:
    from ragproof.github.refusal import purpose_of

    purpose = purpose_of("GET", "/pulls/1")
    error = refused(purpose, 403, {}, "API rate limit exceeded for user ID 1.", 0.0)
    assert (error.wait_s, error.passing) == (60.0, True)
    assert "1970-01-01 00:01:00 UTC" in error.hint


# Refusals


@pytest.mark.parametrize(
    ("method", "path", "permission"),
    [
        ("POST", COMMENTS, "pull-requests: write"),
        ("PATCH", "/issues/comments/1", "pull-requests: write"),
        ("GET", COMMENTS, "pull-requests: read"),
        ("GET", "/pulls", "pull-requests: read"),
        ("GET", "/pulls/1", "pull-requests: read"),
        ("GET", "/contents/a%2Fb", "contents: read"),
    ],
)
def test_a_refusal_names_the_permission(
    server: Server, method: str, path: str, permission: str
) -> None:
    server.github.tokens[READING] = Token(permissions={})
    api = api_of(server, token=READING)
    calls: dict[str, Any] = {
        "GET": lambda: api.get(path, {"ref": "main"} if "contents" in path else None),
        "POST": lambda: api.post(path, {"body": "a"}),
        "PATCH": lambda: api.patch(path, {"body": "a"}),
    }
    error = failing(calls[method])
    assert error.status == 403
    assert "HTTP 403, Resource not accessible by integration" in error.message
    assert f"`permissions: {permission}`" in error.hint
    assert ("fork" in error.hint and "docs/action.md" in error.hint) == (method != "GET")
    assert len(server.github.calls()) == 1


def test_a_token_that_is_not_known(server: Server) -> None:
    error = failing(lambda: api_of(server, token="ghs_unknown_0000").get("/pulls/1"))
    assert (error.status, error.message[-25:]) == (401, "HTTP 401, Bad credentials")
    assert "github-token" in error.hint


def test_a_repository_that_is_not_visible(server: Server) -> None:
    api = api_of(server, repository="octo-org/other")
    error = failing(lambda: api.get("/pulls/1"))
    assert error.status == 404
    assert "GITHUB_API_URL" in error.hint
    assert "pull-requests: read" in error.hint


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "Unable to create comment because issue is locked."),
        (403, "Repository was archived so is read-only."),
        (410, "This issue is locked"),
    ],
)
def test_a_locked_conversation(server: Server, status: int, message: str) -> None:
    server.github.faults.append(Fault("POST", COMMENTS, status=status, body=said(message)))
    error = failing(lambda: api_of(server).post(COMMENTS, {"body": "a"}))
    assert "unlock" in error.hint


def test_what_is_invalid_is_quoted(server: Server) -> None:
    error = failing(lambda: api_of(server).post(COMMENTS, {"body": "x" * 65_537}))
    assert error.status == 422
    assert "Validation Failed; Body is too long (maximum is 65536 characters)" in error.message


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "text",
        {"message": 5},
        {"message": None, "errors": None},
        {"message": "a\n::error::b\x1b[31m\u202e" + "x" * 9000, "errors": [5, None, "c", {}]},
        b"<html>",
        b"\xff",
        b"[" * 60_000,
        b'{"message": "\\ud800"}',
    ],
)
def test_an_error_says_it_in_a_line(server: Server, body: Any) -> None:
    server.github.faults.append(fault(status=400, body=body))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert error.message.isprintable()
    assert len(error.message) < 400
    assert error.message.encode()


# Replies


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000, b"9" * 5000])
def test_a_reply_that_is_no_json(server: Server, body: bytes) -> None:
    server.github.faults.append(fault(status=200, body=body, times=99))
    clock = Clock()
    error = failing(lambda: api_of(server, clock).get("/pulls/1"))
    assert error.message == "GitHub's reply holds no usable JSON"
    assert len(clock.waits) == 5


def test_a_reply_that_is_too_large(server: Server) -> None:
    server.github.faults.append(fault(status=200, body=b'"' + b"x" * 64_000_000 + b'"'))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert "larger than 64,000,000 bytes" in error.message
    assert len(server.github.calls()) == 1


def test_a_reply_that_unpacks_to_too_much(server: Server) -> None:
    bomb = gzip.compress(b" " * 80_000_000)
    server.github.faults.append(fault(status=200, body=bomb, headers={"Content-Encoding": "gzip"}))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert "larger than 64,000,000 bytes" in error.message


def test_a_compressed_reply(server: Server) -> None:
    packed = gzip.compress(b'{"number": 5}')
    server.github.faults.append(
        fault(status=200, body=packed, headers={"Content-Encoding": "gzip"})
    )
    assert api_of(server).get("/pulls/1") == {"number": 5}


def test_raw_bytes(server: Server) -> None:
    data = bytes(range(256)) * 5000
    server.github.commits["main"] = {"a b/ü.json": data}
    api = api_of(server)
    path = f"/contents/{quote('a b/ü.json')}"
    assert api.raw(path, {"ref": "main"}) == data
    assert server.github.exchanges[0].request.headers["accept"] == (
        "application/vnd.github.raw+json"
    )
    assert api.raw(path, {"ref": "main"}, len(data)) == data
    error = failing(lambda: api.raw(path, {"ref": "main"}, len(data) - 1))
    assert "larger than 1,279,999 bytes" in error.message


@pytest.mark.parametrize(
    ("status", "words"),
    [("200 OK", "larger than 1,000 bytes"), ("302 Found", "another place"), ("404 No", "404")],
)
def test_a_body_without_end_is_not_read_to_its_end(status: str, words: str) -> None:
    def endless(wire: Wire, request: FaultRequest) -> None:
        wire.send(f"HTTP/1.1 {status}\r\nLocation: http://other.invalid/\r\n\r\n".encode())
        while True:
            wire.send(bytes(65_536))

    with FaultServer({"/repos/octo-org/octo-repo/contents/a": endless}) as server:
        error = failing(lambda: api_at(server.url).raw("/contents/a", {}, 1000))
    assert words in error.message
    assert len(server.requests) == 1


# Pages


def test_pages(server: Server) -> None:
    server.github.page_size = 2
    for number in range(5):
        server.github.comment(1, "octocat", str(number))
    found = [item["body"] for item in api_of(server).pages(COMMENTS)]
    assert found == ["0", "1", "2", "3", "4"]
    assert server.github.calls() == [
        f"GET /repos/octo-org/octo-repo{COMMENTS}?per_page=100",
        f"GET /repos/octo-org/octo-repo{COMMENTS}?per_page=100&page=2",
        f"GET /repos/octo-org/octo-repo{COMMENTS}?per_page=100&page=3",
    ]


def test_pages_are_asked_for_as_they_are_needed(server: Server) -> None:
    server.github.page_size = 1
    for number in range(5):
        server.github.comment(1, "octocat", str(number))
    pages = api_of(server).pages(COMMENTS)
    assert next(pages)["body"] == "0"
    assert len(server.github.calls()) == 1


def test_a_page_in_the_middle_is_tried_again(server: Server) -> None:
    server.github.page_size = 1
    server.github.comment(1, "octocat", "a")
    server.github.comment(1, "octocat", "b")
    api = api_of(server)
    pages = api.pages(COMMENTS)
    next(pages)
    server.github.faults.append(fault(path=COMMENTS, status=500, times=2))
    assert [item["body"] for item in pages] == ["b"]


@pytest.mark.parametrize("body", [{}, "text", None, 5])
def test_a_page_that_is_no_list(server: Server, body: Any) -> None:
    server.github.faults.append(fault(path=COMMENTS, status=200, body=body))
    error = failing(lambda: list(api_of(server).pages(COMMENTS)))
    assert "no usable list" in error.message


def test_pages_without_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragproof.github.api._MAX_PAGES", 3)
    link = {"Link": f'<{server.url}/repos/octo-org/octo-repo{COMMENTS}>; rel="next"'}
    server.github.faults.append(fault(path=COMMENTS, status=200, body=[], headers=link, times=9))
    error = failing(lambda: list(api_of(server).pages(COMMENTS)))
    assert "no page is the last" in error.message


# The token stays where it belongs


@pytest.fixture
def thief() -> Any:
    """Another server, which must never be asked."""
    with Server(Github()) as server:
        yield server
    assert server.github.exchanges == []


def other_places(thief: Server, own: str) -> list[str]:
    """Addresses that lead to a thief, or that someone could read so."""
    host = thief.url.removeprefix("http://")
    home = own.removeprefix("http://")
    return [
        f"{thief.url}/x",
        f"//{host}/x",
        f"http://{home}@{host}/x",
        f"http://{host}\\@{home}/x",
        f"http://{home}\\@{host}/x",
        f"http://user@{home}/x",
        f"https://{home}/x",
        f"http://{host}#@{home}/x",
        f"http://{host}?@{home}/x",
        "http://[x/",
        "file:///etc/passwd",
        "javascript:1",
    ]


@pytest.mark.parametrize("index", range(12))
def test_a_next_page_elsewhere_is_never_fetched(server: Server, thief: Server, index: int) -> None:
    place = other_places(thief, server.url)[index]
    headers = {"Link": f'<{place}>; rel="next"'}
    server.github.faults.append(fault(path=COMMENTS, status=200, body=[{}], headers=headers))
    error = failing(lambda: list(api_of(server).pages(COMMENTS)))
    assert "leads to another place" in error.message
    assert len(server.github.calls()) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("index", range(12))
def test_a_redirect_elsewhere_is_never_followed(
    server: Server, thief: Server, status: int, index: int
) -> None:
    place = other_places(thief, server.url)[index]
    server.github.faults.append(fault(status=status, headers={"Location": place}))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert "leads to another place" in error.message
    assert len(server.github.calls()) == 1


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_a_repository_that_was_renamed_is_found(server: Server, prefix: str) -> None:
    server.github.old_names = ("octo-org/old-name",)
    api = api_at(server.url + prefix, repository="octo-org/old-name")
    assert api.get("/pulls/1")["number"] == 1
    made = api.post(COMMENTS, {"body": "hello"})
    assert made["body"] == "hello"
    assert [comment.body for comment in server.github.comments] == ["hello"]
    server.github.page_size = 1
    api.post(COMMENTS, {"body": "again"})
    assert [item["body"] for item in api.pages(COMMENTS)] == ["hello", "again"]


def test_redirects_end(server: Server) -> None:
    place = f"{server.url}/repos/octo-org/octo-repo/pulls/1"
    server.github.faults.append(fault(status=302, headers={"Location": place}, times=99))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert (error.status, len(server.github.calls())) == (302, 4)


def forms(token: str) -> list[str]:
    raw = token.encode()
    return [token, quote(token, safe=""), base64.b64encode(raw).decode(), json.dumps(token)[1:-1]]


@pytest.mark.parametrize("form", range(4))
@pytest.mark.parametrize("where", ["message", "errors", "location", "link"])
def test_no_error_holds_the_token(server: Server, where: str, form: int) -> None:
    text = forms(WRITING)[form]
    place = f"http://127.0.0.2/{text}"
    faults = {
        "message": fault(path=COMMENTS, status=400, body=said(f"bad {text}!")),
        "errors": fault(
            path=COMMENTS, status=422, body={"message": "a", "errors": [text, {"message": text}]}
        ),
        "location": fault(path=COMMENTS, status=302, headers={"Location": place}),
        "link": fault(
            path=COMMENTS, status=200, body=[], headers={"Link": f'<{place}>; rel="next"'}
        ),
    }
    server.github.faults.append(faults[where])
    api = api_of(server)
    error = failing(lambda: list(api.pages(COMMENTS)))
    shown = f"{error.message} {error.hint} {error!r} {error} {error.args}"
    assert "***" in error.message
    for one in forms(WRITING):
        assert one not in shown
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


def test_a_token_is_cut_from_long_messages_before_they_are(server: Server) -> None:
    server.github.faults.append(fault(status=400, body=said("x" * 290 + WRITING)))
    error = failing(lambda: api_of(server).get("/pulls/1"))
    assert WRITING[:6] not in error.message


def test_the_client_does_not_show_its_token(server: Server) -> None:
    assert WRITING not in repr(api_of(server))


# No connection


def test_nothing_listens() -> None:
    import socket

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        clock = Clock()
        api = api_at(f"http://127.0.0.1:{held.getsockname()[1]}", clock)
        error = failing(lambda: api.get("/pulls/1"))
    assert error.status is None
    assert error.__suppress_context__
    assert error.passing
    assert "refused" in error.message
    assert "GITHUB_API_URL" in error.hint
    assert "proxy" in error.hint
    assert len(clock.waits) == 5


@pytest.mark.parametrize("url", ["http://nowhere.invalid", "http://" + "a" * 70 + ".invalid"])
def test_a_name_that_does_not_resolve(url: str) -> None:
    error = failing(lambda: api_at(url, budget_s=0).get("/pulls/1"))
    assert error.status is None
    assert "GITHUB_API_URL" in error.hint


def test_a_certificate_must_be_trusted(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    path = "/repos/octo-org/octo-repo/pulls/1"
    with FaultServer({path: answering(reply(b"{}"))}, certificate.context) as server:
        clock = Clock()
        error = failing(lambda: api_at(server.url, clock).get("/pulls/1"))
        assert (error.status, error.passing, clock.waits) == (None, False, [])
        assert "REQUESTS_CA_BUNDLE" in error.hint
        assert server.requests == []
        session = requests.Session()
        session.trust_env = False
        session.verify = str(certificate.ca_file)
        assert Api(server.url, "octo-org/octo-repo", WRITING, session=session).get("/pulls/1") == {}


def test_a_proxy_is_used(server: Server) -> None:
    session = requests.Session()
    session.trust_env = False
    session.proxies = {"http": "http://127.0.0.1:1"}
    api = Api(server.url, "octo-org/octo-repo", WRITING, session=session, budget_s=0)
    error = failing(lambda: api.get("/pulls/1"))
    assert "proxy" in error.message
    assert server.github.exchanges == []
