"""One case over a real wire: tries, waits, redirects, limits, and what is kept of it."""

import email.utils
import json
import time
from typing import Any

import pytest
from asking import CASE, ask, make_plan
from faultserver import Behaviour, FaultServer, Request, Wire, answering, closed_port, reply

from ragproof.endpoint.client import Exchange
from ragproof.records import Case, Failure, FailureKind

GOOD = reply(b'{"answer":"yes"}')


def statuses(*lines: str, headers: dict[str, str] | None = None) -> Behaviour:
    """Answers with these statuses in turn, then well."""

    def behave(wire: Wire, request: Request) -> bool:
        bad = request.count <= len(lines)
        wire.send(reply(b"{}", lines[request.count - 1], headers) if bad else GOOD)
        return True

    return behave


def one(
    behaviour: Behaviour, waits: list[float] | None = None, **settings: Any
) -> tuple[Exchange, FaultServer]:
    """What comes of asking an endpoint that behaves so about one case."""
    with FaultServer({"/q": behaviour}) as server:
        return ask(make_plan(f"{server.url}/q", **settings), waits=waits)[0], server


def failure(exchange: Exchange) -> Failure:
    assert exchange.failure is not None
    assert exchange.latency_s is None
    return exchange.failure


def test_an_answer() -> None:
    exchange, server = one(answering(GOOD))
    assert exchange.bodies == {"answer": b'{"answer":"yes"}'}
    assert exchange.parsed == {"answer": {"answer": "yes"}}
    assert exchange.attempts == 1
    assert exchange.failure is None
    assert exchange.latency_s is not None
    [request] = server.requests
    assert (request.method, request.target) == ("POST", "/q")
    assert json.loads(request.body) == {"q": "why?"}
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept"] == "application/json"


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_a_request_without_a_body_says_so(method: str) -> None:
    exchange, server = one(answering(GOOD), body=None, method=method, timeout=5.0)
    assert exchange.failure is None
    [request] = server.requests
    assert request.body == b""
    assert request.headers.get("content-length") == (None if method == "GET" else "0")


def test_a_get_may_have_a_body() -> None:
    exchange, server = one(answering(GOOD), method="GET")
    assert exchange.failure is None
    assert json.loads(server.requests[0].body) == {"q": "why?"}


def test_the_question_goes_into_the_address() -> None:
    with FaultServer({"/q/a%2Fb%20%3F": answering(GOOD)}) as server:
        plan = make_plan(
            f"{server.url}/q/{{{{ question }}}}?k={{{{ k }}}}", method="GET", body=None
        )
        [exchange] = ask(plan, Case("c", "a/b ?"))
    assert exchange.failure is None
    assert server.requests[0].target == "/q/a%2Fb%20%3F?k=10"


def test_a_connection_is_used_again() -> None:
    with FaultServer({"/q": answering(GOOD)}) as server:
        ask(make_plan(f"{server.url}/q"), *[Case(str(n), str(n) * n) for n in range(5)])
    assert server.connections == 1
    assert [json.loads(request.body)["q"] for request in server.requests] == [
        str(n) * n for n in range(5)
    ]


def test_a_connection_closed_between_requests_costs_no_try() -> None:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(GOOD)
        return False

    with FaultServer({"/q": behave}) as server:
        plan = make_plan(f"{server.url}/q")
        exchanges = ask(plan, *[CASE] * 4)
    assert [exchange.failure for exchange in exchanges] == [None] * 4


# Tries


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_passing_fault_is_retried(status: int) -> None:
    waits: list[float] = []
    exchange, server = one(statuses(f"{status} Later", f"{status} Later"), waits)
    assert exchange.failure is None
    assert exchange.attempts == 3
    assert [request.method for request in server.requests] == ["POST"] * 3
    assert server.requests[0].body == server.requests[2].body
    first, second = waits
    assert 0.25 <= first <= 0.5 <= second <= 1.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 410, 422, 451, 304, 300])
def test_a_final_fault_is_asked_once(status: int) -> None:
    exchange, server = one(statuses(f"{status} No"))
    assert len(server.requests) == 1
    kind = FailureKind.AUTH if status in (401, 403) else FailureKind.STATUS
    assert failure(exchange).kind is kind
    assert failure(exchange).message == f"HTTP {status} No"
    assert failure(exchange).excerpt == ("" if status == 304 else "{}")


def test_a_fault_that_stays_ends_after_the_tries() -> None:
    waits: list[float] = []
    exchange, server = one(answering(reply(b'{"e":1}', "429 Slow down")), waits, retries=2)
    assert len(server.requests) == 3
    assert exchange.attempts == 3
    assert failure(exchange).message == "HTTP 429 Slow down (3 tries)"
    assert len(waits) == 2


def test_no_retries() -> None:
    exchange, server = one(answering(reply(b"", "503 Busy")), retries=0)
    assert len(server.requests) == 1
    assert failure(exchange).message == "HTTP 503 Busy"


def test_waits_end_with_their_budget() -> None:
    waits: list[float] = []
    exchange, server = one(answering(reply(b"", "503 Busy")), waits, retries=20, max_wait=2.0)
    assert sum(waits) == pytest.approx(2.0)
    assert exchange.attempts == len(server.requests) == len(waits) + 1 < 8


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("0", 0, 0),
        ("2", 2, 2),
        (" 7 ", 7, 7),
        ("99999", 30, 30),
        ("9" * 400, 30, 30),
        ("9" * 5000, 0.25, 0.5),
        ("-5", 0.25, 0.5),
        ("1.5", 0.25, 0.5),
        ("soon", 0.25, 0.5),
        ("", 0.25, 0.5),
        ("Tue, 32 Foo 2030", 0.25, 0.5),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("Wed, 21 Oct 9999 07:28:00 GMT", 30, 30),
        ("Fri, 31 Dec 99999999999 23:59:59 GMT", 0, 30),
        ("{in 25 seconds}", 10, 25),
    ],
)
def test_retry_after(value: str, low: float, high: float) -> None:
    waits: list[float] = []
    if value == "{in 25 seconds}":
        value = email.utils.formatdate(time.time() + 25, usegmt=True)
    exchange, _ = one(statuses("503 Busy", headers={"Retry-After": value}), waits)
    assert exchange.failure is None
    assert len(waits) == 1
    assert low <= waits[0] <= high


def test_latency_leaves_waits_and_failed_tries_out() -> None:
    exchange, _ = one(statuses("503 Busy", headers={"Retry-After": "1"}), max_wait=0.6)
    assert exchange.attempts == 2
    assert exchange.latency_s is not None
    assert exchange.latency_s < 0.5


def test_latency_of_two_requests_is_their_sum() -> None:
    def slow(wire: Wire, request: Request) -> bool:
        time.sleep(0.06)
        wire.send(GOOD)
        return True

    with FaultServer({"/q": slow, "/r": slow}) as server:
        response = {"answer": "$.answer"}
        plan = make_plan(
            "",
            retrieve={"url": f"{server.url}/r", "response": response},
            answer={"url": f"{server.url}/q", "response": response},
        )
        [exchange] = ask(plan)
    assert exchange.latency_s is not None
    assert 0.12 <= exchange.latency_s < 1
    assert list(exchange.bodies) == ["retrieve", "answer"]


def test_the_first_request_that_fails_ends_a_case() -> None:
    with FaultServer({"/r": statuses("404 No"), "/q": answering(GOOD)}) as server:
        plan = make_plan(
            "",
            retrieve={"url": f"{server.url}/r", "response": {"answer": "$"}},
            answer={"url": f"{server.url}/q", "response": {"answer": "$"}},
        )
        [exchange] = ask(plan)
    assert failure(exchange).message == "HTTP 404 No"
    assert [request.path for request in server.requests] == ["/r"]


def test_refused_connections_are_retried() -> None:
    waits: list[float] = []
    with closed_port() as port:
        [exchange] = ask(make_plan(f"http://127.0.0.1:{port}/", retries=2), waits=waits)
    assert failure(exchange).kind is FailureKind.REFUSED
    assert exchange.attempts == 3
    assert "refused" in failure(exchange).message
    assert len(waits) == 2


def test_a_name_that_does_not_resolve() -> None:
    [exchange] = ask(make_plan("http://nowhere.invalid/"))
    assert failure(exchange).kind is FailureKind.UNRESOLVED


# Error bodies


def test_an_error_page_larger_than_is_read_is_still_quoted() -> None:
    exchange, _ = one(answering(reply(b"the reason: " + b"x" * 100_000, "400 Bad")))
    assert failure(exchange).excerpt.startswith("the reason: xxx")
    assert len(failure(exchange).excerpt) == 300


@pytest.mark.parametrize(
    ("body", "headers", "length"),
    [(b"short", {}, 500), (b"not gzip", {"Content-Encoding": "gzip"}, None)],
)
def test_a_broken_error_page_does_not_hide_the_status(
    body: bytes, headers: dict[str, str], length: int | None
) -> None:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(reply(body, "404 Not Found", headers, length=length))
        return False

    exchange, server = one(behave)
    assert failure(exchange).kind is FailureKind.STATUS
    assert failure(exchange).message == "HTTP 404 Not Found"
    assert len(server.requests) == 1


def test_a_slow_error_page_does_not_hide_the_status() -> None:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(reply(b"", "503 Busy", length=100))
        wire.drip(b"x" * 100, 0.1)

    exchange, server = one(behave, timeout=0.3)
    assert failure(exchange).message == "HTTP 503 Busy"
    assert len(server.requests) == 1  # one that took all its time is not asked again


def test_an_excerpt_is_one_line() -> None:
    exchange, _ = one(answering(reply(b"<html>\r\n\t<b>no\x00</b>\n\n  x", "400 Bad")))
    assert failure(exchange).excerpt == "<html> <b>no\x00</b> x"


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed_unasked(status: int) -> None:
    exchange, server = one(
        answering(reply(b"", f"{status} Moved", {"Location": "http://other.example/x"}))
    )
    assert failure(exchange).kind is FailureKind.REDIRECT
    assert failure(exchange).message == f"HTTP {status} redirects to http://other.example/x"
    assert len(server.requests) == 1


@pytest.mark.parametrize("location", ["/q", "q", "?x=1", "//{host}/q", "http://{host}/q?a=b%20c"])
def test_redirects_within_the_host_are_followed_when_asked_for(location: str) -> None:
    def away(wire: Wire, request: Request) -> bool:
        where = location.format(host=request.headers["host"])
        wire.send(reply(b"", "307 Moved", {"Location": where}))
        return True

    def here(wire: Wire, request: Request) -> bool:
        if request.path == "/start" and not request.target.endswith("x=1"):
            return bool(away(wire, request))
        wire.send(GOOD)
        return True

    with FaultServer({"/start": here, "/q": here}) as server:
        plan = make_plan(
            f"{server.url}/start", follow_redirects=True, headers={"Authorization": "Bearer abcdef"}
        )
        first, second = ask(plan, CASE, CASE)
    assert first.failure is None
    assert second.failure is None
    assert [request.path == "/start" for request in server.requests[::2]] == [True, True]
    assert server.requests[1].headers["authorization"] == "Bearer abcdef"
    assert server.requests[1].body == server.requests[0].body


@pytest.mark.parametrize(
    "location",
    [
        *("http://other.example/", "https://other.example/", "//other.example/", "ftp://{host}/q"),
        *("http://localhost:{port}/q", "http://127.0.0.1:1/q", "file:///etc/passwd", ""),
        *("http://[bad/", "http://127.0.0.1:99999/", "http://127.0.0.1.evil.example/"),
        "http://user:pw@other.example/",
    ],
)
def test_no_redirect_leaves_the_host(location: str) -> None:
    def away(wire: Wire, request: Request) -> bool:
        host = request.headers["host"]
        where = location.format(host=host, port=host.partition(":")[2])
        wire.send(reply(b"", "302 Moved", {"Location": where}))
        return True

    exchange, server = one(away, follow_redirects=True)
    assert len(server.requests) == (1 if location else 6)
    assert failure(exchange).kind is FailureKind.REDIRECT


def test_redirects_in_a_ring_end() -> None:
    exchange, server = one(
        answering(reply(b"", "307 Moved", {"Location": "/q"})), follow_redirects=True
    )
    assert failure(exchange).kind is FailureKind.REDIRECT
    assert len(server.requests) == 6


# Bodies


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'{\r\n  "answer": "a",\r\n  "n": [\n1,\r2]\n}\r\n', {"answer": "a", "n": [1, 2]}),
        (b'\xef\xbb\xbf{"answer":"\xc3\xa9"}', {"answer": "é"}),
        (b'"text"', "text"),
        (b"  [1]\t", [1]),
        (b'{"a":"\\ud800 \\ud83d\\ude00"}', {"a": "� 😀"}),
        (b'{"a":"\xe2\x80\xa8"}', {"a": "\u2028"}),
    ],
)
def test_a_body_is_kept_on_one_line(body: bytes, kept: Any) -> None:
    exchange, _ = one(answering(reply(body)))
    assert exchange.failure is None
    assert exchange.parsed["answer"] == kept
    line = exchange.bodies["answer"]
    assert b"\n" not in line
    assert b"\r" not in line
    assert json.loads(line).__class__ is kept.__class__


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "an empty body"),
        (b" \n", "an empty body"),
        (b"<html></html>", "no JSON"),
        (b'{"a":1', "no JSON"),
        (b'{"a":NaN}', "NaN is not a JSON number"),
        (b"[Infinity]", "Infinity is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b'{"a":"\xff\xfe"}', "not UTF-8"),
        (b'\xff\xfe{\x00"\x00', "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b"[" * 5000 + b"]" * 5000, "nested too deep"),
        (b"[" * 101 + b"]" * 101, "nested too deep"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "nested too deep"),
        (b'{"a":' + b"9" * 5000 + b"}", "no JSON"),
        (b"data: {}\n\n", "no JSON"),
        (b'{"a":"\n"}', "no JSON"),
        (b"{} {}", "no JSON"),
    ],
)
def test_what_is_not_json(body: bytes, message: str) -> None:
    exchange, server = one(answering(reply(body)))
    assert failure(exchange).kind is FailureKind.NOT_JSON
    assert message in failure(exchange).message
    assert len(server.requests) == 1


def test_depth_up_to_the_limit_is_taken() -> None:
    exchange, _ = one(answering(reply(b"[" * 100 + b"]" * 100)))
    assert exchange.failure is None
    many = b'{"a":"' + b"[{" * 500 + b'"}'
    assert one(answering(reply(many)))[0].failure is None


@pytest.mark.parametrize(("size", "taken"), [(1_000_000, True), (1_000_001, False)])
def test_the_limit_of_a_body_is_exact(size: int, taken: bool) -> None:
    exchange, server = one(answering(reply(b'"' + b"x" * (size - 2) + b'"')), max_response_mb=1.0)
    assert (exchange.failure is None) == taken
    if not taken:
        assert failure(exchange).message == "the response is larger than 1 MB"
        assert failure(exchange).kind is FailureKind.TOO_LARGE
    assert len(server.requests) == 1


# Addresses and framing


def test_a_name_that_leads_to_a_metadata_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ragproof.endpoint.transport.is_forbidden", lambda address: address == "127.0.0.1"
    )
    with FaultServer({"/q": answering(GOOD)}) as server:
        [exchange] = ask(make_plan(f"http://localhost:{server.port}/q"))
    assert failure(exchange).kind is FailureKind.FORBIDDEN
    assert failure(exchange).message == "localhost is 127.0.0.1, which is never asked"
    assert server.requests == []


@pytest.mark.parametrize(
    "raw",
    [
        b"garbage\r\n\r\n",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
        b"\x00\xff" * 100,
        b"",
    ],
)
def test_what_is_not_http(raw: bytes) -> None:
    waits: list[float] = []

    def behave(wire: Wire, request: Request) -> None:
        wire.send(raw)

    exchange, server = one(behave, waits, retries=1)
    assert failure(exchange).kind is FailureKind.CUT
    assert len(server.requests) == 2
    assert "object at 0x" not in failure(exchange).message
    assert len(failure(exchange).message) < 330


@pytest.mark.parametrize("length", [b"-5", b"five", b"1e3", b""])
def test_an_announced_length_that_is_none(length: bytes) -> None:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b'\r\n\r\n{"answer":"yes"}')

    exchange, _ = one(behave, retries=0)
    if exchange.failure is None:
        assert exchange.parsed == {"answer": {"answer": "yes"}}
