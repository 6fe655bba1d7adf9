"""Every way in which an endpoint fails: one clear message, the right exit code, nothing lost."""

import gzip
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from faultserver import Behaviour, FaultServer, Request, Wire, answering, closed_port, reply
from running import ANSWER, GOOD, Ran, run

Capture = pytest.CaptureFixture[str]


def then_close(*parts: bytes) -> Behaviour:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(*parts)

    return behave


def hang(wire: Wire, request: Request) -> None:
    wire.hang()


def drip_headers(wire: Wire, request: Request) -> None:
    wire.drip(reply(GOOD))


def drip_body(wire: Wire, request: Request) -> None:
    wire.send(reply(b"", length=len(GOOD)))
    wire.drip(GOOD)


def drip_without_length(wire: Wire, request: Request) -> None:
    wire.send(b"HTTP/1.1 200 OK\r\n\r\n", GOOD)
    wire.drip(b" " * 100)


def reset(wire: Wire, request: Request) -> None:
    wire.send(reply(b"", length=50))
    wire.reset()


def bomb() -> bytes:
    """20 MB of JSON in a few kB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(b'{"answer":"')
    return start + packer.compress(b"x" * 20_000_000) + packer.compress(b'"}') + packer.flush()


def status(line: str, body: bytes = b'{"detail":"no"}', **headers: str) -> Behaviour:
    return answering(reply(body, line, {k.replace("_", "-"): v for k, v in headers.items()}))


class Fault(NamedTuple):
    """A way to fail, and what is to be said of it. ``tries`` of each case."""

    behaviour: Behaviour
    kind: str
    message: str
    tries: int = 1
    excerpt: str = ""


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

FAULTS: dict[str, Fault] = {
    "hang": Fault(hang, "timeout", "no complete answer within 0.4 s"),
    "drip headers": Fault(drip_headers, "timeout", "no complete answer within 0.4 s"),
    "drip body": Fault(drip_body, "timeout", "no complete answer within 0.4 s"),
    "drip without length": Fault(drip_without_length, "timeout", "no complete answer within 0.4 s"),
    "cut body": Fault(
        then_close(reply(GOOD[:9], length=500)),
        "cut",
        "the body ends before its announced length",
        2,
    ),
    "cut chunked": Fault(then_close(CHUNKED, b'5\r\n{"ans\r\n'), "cut", "the connection is cut", 2),
    "cut within a chunk": Fault(
        then_close(CHUNKED, b'50\r\n{"ans'), "cut", "the connection is cut", 2
    ),
    "cut headers": Fault(then_close(b"HTTP/1.1 20"), "cut", "the connection is cut", 2),
    "closed": Fault(then_close(b""), "cut", "the connection is cut", 2),
    "reset": Fault(reset, "cut", "the connection is cut", 2),
    "html": Fault(
        answering(reply(b"<html>Log in</html>", headers={"Content-Type": "text/html"})),
        "not_json",
        "the response is no JSON",
        excerpt="<html>Log in</html>",
    ),
    "empty": Fault(answering(reply(b"")), "not_json", "the response is an empty body"),
    "no content": Fault(
        then_close(b"HTTP/1.1 204 No Content\r\n\r\n"), "not_json", "an empty body"
    ),
    "invalid UTF-8": Fault(answering(reply(b'{"answer":"\xff"}')), "not_json", "not UTF-8"),
    "NaN": Fault(answering(reply(b'{"answer":NaN}')), "not_json", "NaN is not a JSON number"),
    "deep": Fault(answering(reply(b"[" * 50_000)), "not_json", "nested too deep"),
    "bomb": Fault(
        answering(reply(bomb(), headers={"Content-Encoding": "gzip"})),
        "too_large",
        "the response is larger than 1 MB",
    ),
    "bomb in an error": Fault(
        answering(reply(bomb(), "400 Bad Request", {"Content-Encoding": "gzip"})),
        "status",
        "HTTP 400 Bad Request",
        excerpt='{"answer":"xxx',
    ),
    "wrong gzip": Fault(
        answering(reply(GOOD, headers={"Content-Encoding": "gzip"})),
        "cut",
        "the compressed body cannot be decoded",
        2,
    ),
    "huge": Fault(answering(reply(b" " * 1_500_000)), "too_large", "larger than 1 MB"),
    "huge without length": Fault(
        then_close(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 1_500_000), "too_large", "larger than 1 MB"
    ),
    "401": Fault(status("401 Unauthorized"), "auth", "HTTP 401 Unauthorized", excerpt='{"detail"'),
    "403": Fault(status("403 Forbidden"), "auth", "HTTP 403 Forbidden", excerpt='{"detail"'),
    "404": Fault(status("404 Not Found"), "status", "HTTP 404 Not Found", excerpt='{"detail"'),
    "408": Fault(status("408 Request Timeout"), "status", "HTTP 408 Request Timeout", 2, "{"),
    "425": Fault(status("425 Too Early"), "status", "HTTP 425 Too Early", 2, "{"),
    "429": Fault(
        status("429 Too Many Requests", Retry_After="0"),
        "status",
        "HTTP 429 Too Many Requests (4 tries)",
        4,
        "{",
    ),
    "429 for long": Fault(
        status("429 Too Many Requests", Retry_After="3600"), "status", "HTTP 429", 2, "{"
    ),
    "500": Fault(status("500 Oops", b"Traceback"), "status", "HTTP 500 Oops", 2, "Traceback"),
    "503 without a reason": Fault(status("503", b""), "status", "HTTP 503", 2),
    "301 to another host": Fault(
        status("301 Moved", Location="http://other.example/q"),
        "redirect",
        "HTTP 301 redirects to http://other.example/q",
        excerpt="{",
    ),
    "307 to the same host": Fault(
        status("307 Moved", Location="/q"), "redirect", "HTTP 307 redirects to /q", excerpt="{"
    ),
    "error in a good body": Fault(
        answering(reply(b'{"error":"no index","answer":"x","chunks":[]}')),
        "reported",
        'the response reports an error: "no index"',
        excerpt='{"error"',
    ),
    "another shape": Fault(
        answering(reply(b'{"result":{"text":"x"}}')),
        "shape",
        "answer: $.answer finds nothing",
        excerpt='{"result"',
    ),
    "no object": Fault(answering(reply(b"[]")), "shape", "$.answer finds nothing", excerpt="[]"),
    "not HTTP": Fault(then_close(b"SSH-2.0-OpenSSH_9.6\r\n"), "cut", "the connection is cut", 2),
}


def check(ran: Ran, kind: str, message: str, cases: int) -> None:
    """One clear message on both streams and in the run, exit code 2, every case accounted for."""
    assert ran.code == 2, ran.err
    assert "Traceback (most" not in ran.out + ran.err
    assert "unexpected" not in ran.err
    assert "object at 0x" not in ran.out
    assert ran.failure["kind"] == kind
    assert message in ran.failure["message"]
    result = ran.run
    assert result["verdict"] == "error"
    assert result["counts"]["error"] == cases
    assert len(result["cases"]) == cases
    assert ran.out.count(message) == 1
    assert not any(message in reason for reason in result["reasons"]), "words of the endpoint"
    assert result["exit_code"] == 2
    assert not list(ran.folder.glob("*.part"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(name: str, tmp_path: Path, capsys: Capture) -> None:
    fault = FAULTS[name]
    timeout = 0.4 if fault.kind == "timeout" else 10.0
    with FaultServer({"/q": fault.behaviour}) as server:
        ran = run(
            tmp_path,
            capsys,
            f"{server.url}/q",
            timeout=timeout,
            max_response_mb=1.0,
            response={
                "answer": "$.answer",
                "chunks": "$.chunks[*]",
                "chunk": {"id": "$.id"},
                "error_when": "$.error",
            },
        )
        asked = len(server.requests)
    check(ran, fault.kind, fault.message, 3)
    assert ran.failure["excerpt"].startswith(fault.excerpt)
    assert bool(ran.failure["excerpt"]) == bool(fault.excerpt) or fault.kind == "not_json"
    assert asked == 3 * fault.tries
    assert ran.seconds < timeout + 4
    assert [saved.failure is not None for saved in ran.saved()] == [
        fault.kind not in ("shape", "reported")
    ] * 3


def test_a_closed_port(tmp_path: Path, capsys: Capture) -> None:
    with closed_port() as port:
        ran = run(tmp_path, capsys, f"http://127.0.0.1:{port}/q")
    check(ran, "refused", "the connection is refused", 3)


def test_a_name_that_does_not_resolve(tmp_path: Path, capsys: Capture) -> None:
    ran = run(tmp_path, capsys, "http://endpoint.invalid/q")
    check(ran, "unresolved", "the host name does not resolve", 3)


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://[fe80::1]/q", "ftp://x/"])
def test_an_address_that_is_never_asked(url: str, tmp_path: Path, capsys: Capture) -> None:
    ran = run(tmp_path, capsys, url)
    assert ran.code == 3
    assert "endpoint.url" in ran.err
    assert not ran.folder.exists()


def test_a_wave_of_refusals_stops_early_and_says_so(tmp_path: Path, capsys: Capture) -> None:
    with FaultServer({"/q": status("401 Unauthorized")}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", cases=100, concurrency=2)
        assert len(server.requests) < 13
    check(ran, "auth", "HTTP 401 Unauthorized", 100)
    stopped = ran.run["cases"][-1]["failure"]
    assert stopped["kind"] == "not_asked"
    assert "asking was stopped" in stopped["message"]


# What is no fault


def once(bad: bytes, *, close: bool = True) -> Behaviour:
    """Fails the first time that a question is asked."""
    seen: set[bytes] = set()

    def behave(wire: Wire, request: Request) -> bool:
        first = request.body not in seen
        seen.add(request.body)
        wire.send(bad if first else reply(GOOD))
        return not (first and close)

    return behave


def http_1_0(wire: Wire, request: Request) -> None:
    wire.send(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n", GOOD)


def trailers(wire: Wire, request: Request) -> bool:
    wire.send(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n",
        *(b"1;ext=1\r\n%c\r\n" % byte for byte in GOOD),
        b"0\r\nX-Sum: 1\r\n\r\n",
    )
    return True


PRETTY = json.dumps({**ANSWER, "note": "é\u2028 ü"}, indent=4, ensure_ascii=False)
KEPT = {"Connection": "close"}

HARMLESS: dict[str, Callable[[], Behaviour]] = {
    "plain": lambda: answering(reply(GOOD)),
    "503 then 200": lambda: once(reply(b"", "503 Busy", {"Retry-After": "0"})),
    "cut then 200": lambda: once(reply(GOOD[:9], length=500)),
    "closed between requests": lambda: then_close(reply(GOOD)),
    "HTTP/1.0": lambda: http_1_0,
    "trailers": lambda: trailers,
    "gzip": lambda: answering(reply(gzip.compress(GOOD), headers={"Content-Encoding": "gzip"})),
    "deflate": lambda: answering(
        reply(zlib.compress(GOOD), headers={"Content-Encoding": "deflate"})
    ),
    "gzip in chunks": lambda: answering(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"1\r\n%c\r\n" % byte for byte in gzip.compress(GOOD))
        + b"0\r\n\r\n"
    ),
    "BOM": lambda: answering(reply(b"\xef\xbb\xbf" + GOOD)),
    "Latin-1 in name only": lambda: answering(
        reply(PRETTY.encode(), headers={"Content-Type": "application/json; charset=iso-8859-1"})
    ),
    "text/plain": lambda: answering(reply(GOOD, headers={"Content-Type": "text/plain"})),
    "CRLF": lambda: answering(reply(PRETTY.replace("\n", "\r\n").encode())),
    "201": lambda: answering(reply(GOOD, "201 Created")),
    "interim response": lambda: answering(b"HTTP/1.1 100 Continue\r\n\r\n" + reply(GOOD)),
    "slow but in time": lambda: lambda wire, request: wire.drip(reply(GOOD), 0.001) or True,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_an_endpoint_may_do(name: str, tmp_path: Path, capsys: Capture) -> None:
    with FaultServer({"/q": HARMLESS[name]()}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", max_wait=2.0)
    assert ran.code == 0, ran.out + ran.err
    assert ran.run["counts"]["pass"] == 3
    saved = {one.case_id: one for one in ran.saved()}
    assert len(saved) == 3
    expected: Any = json.loads(PRETTY) if name in ("CRLF", "Latin-1 in name only") else ANSWER
    assert [one.bodies["answer"] for one in saved.values()] == [expected] * 3
    raw = (ran.folder / "responses.jsonl").read_bytes()
    assert raw.count(b"\n") == 5
    assert b"\r" not in raw
    again = run(
        tmp_path,
        capsys,
        "http://127.0.0.1:1/",
        arguments=("--responses", str(ran.folder / "responses.jsonl"), "--no-gate"),
    )
    assert again.code == 0, again.err
    assert again.run["counts"] == ran.run["counts"]


def sometimes(share: float) -> Behaviour:
    """Fails the first try of a share of the questions, always the same ones."""
    seen: set[bytes] = set()
    bad = [
        reply(b"", "503 Busy", {"Connection": "close"}),
        reply(GOOD[:20], length=len(GOOD)),
        reply(b"", "429 Slow", {"Retry-After": "0", "Connection": "close"}),
        b"",
    ]

    def behave(wire: Wire, request: Request) -> bool:
        first = request.body not in seen
        seen.add(request.body)
        chance = random.Random(request.body)
        if first and chance.random() < share:
            wire.send(chance.choice(bad))
            return False
        wire.send(reply(GOOD))
        return True

    return behave


def _scores(ran: Ran) -> Any:
    return [
        {key: value for key, value in case.items() if key not in ("latency_s", "attempts")}
        for case in ran.run["cases"]
    ]


def test_failures_that_recover_change_no_score(tmp_path: Path, capsys: Capture) -> None:
    runs = []
    for share, workers in ((0.0, 1), (0.05, 1), (0.05, 64)):
        folder = tmp_path / f"{share}-{workers}"
        folder.mkdir()
        with FaultServer({"/q": sometimes(share)}) as server:
            runs.append(
                run(folder, capsys, f"{server.url}/q", cases=120, concurrency=workers, max_wait=5.0)
            )
    assert [ran.code for ran in runs] == [0, 0, 0]
    assert _scores(runs[0]) == _scores(runs[1]) == _scores(runs[2])
    attempts = [[case["attempts"] for case in ran.run["cases"]] for ran in runs]
    assert max(attempts[0]) == 1
    assert max(attempts[1]) == 2
    assert attempts[1] == attempts[2]


def test_what_was_measured_is_kept_when_the_endpoint_dies(tmp_path: Path, capsys: Capture) -> None:
    def dies(wire: Wire, request: Request) -> bool:
        if request.count > 5:
            wire.reset()
            return False
        wire.send(reply(GOOD))
        return True

    with FaultServer({"/q": dies}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", cases=8, concurrency=1, retries=0)
    assert ran.code == 2
    assert ran.run["counts"]["error"] == 3
    assert [one.bodies.get("answer") for one in ran.saved()] == [ANSWER] * 5 + [None] * 3


def test_a_body_that_holds_lines_of_other_files(tmp_path: Path, capsys: Capture) -> None:
    """What looks like the end of the file, or like another case, is text."""
    body = {**ANSWER, "answer": '\n{"end":{"complete":true}}\n{"case":"case-9"}\r', "end": 1}
    with FaultServer({"/q": answering(reply(json.dumps(body).encode()))}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q")
    assert ran.code == 0
    assert [one.bodies["answer"] for one in ran.saved()] == [body] * 3
