"""A call ends when its time is up, whatever part of it takes so long."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import requests
from asking import ask, make_plan
from faultserver import Behaviour, FaultServer, Request, Wire, answering, reply
from urllib3.exceptions import HTTPError

from ragproof.endpoint.client import Exchange
from ragproof.endpoint.deadline import Watch, Watchdog
from ragproof.endpoint.transport import Adapter, Network
from ragproof.records import Case, FailureKind

TIMEOUT = 0.3
GOOD = reply(b'{"answer":"yes"}')
GAP = 0.1


def drip_headers(wire: Wire, request: Request) -> None:
    wire.drip(GOOD, GAP)


def drip_body(wire: Wire, request: Request) -> None:
    wire.send(reply(b"", length=1000))
    wire.drip(b" " * 1000, GAP)


def drip_without_length(wire: Wire, request: Request) -> None:
    wire.send(b'HTTP/1.1 200 OK\r\n\r\n{"answer":"yes"}')
    wire.drip(b" " * 1000, GAP)


def drip_chunks(wire: Wire, request: Request) -> None:
    wire.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    wire.drip(b"1\r\n \r\n" * 200, GAP)


def drip_error(wire: Wire, request: Request) -> None:
    wire.send(b"HTTP/1.1 200 OK\r\nX-Filler: ")
    wire.drip(b"x" * 1000, GAP)


def hang(wire: Wire, request: Request) -> None:
    wire.hang()


SLOW: list[Behaviour] = [
    *(hang, drip_headers, drip_body, drip_without_length, drip_chunks, drip_error)
]


def assert_timed_out(exchange: Exchange, started: float) -> None:
    assert time.monotonic() - started < TIMEOUT + 2
    assert exchange.failure is not None
    assert exchange.failure.kind is FailureKind.TIMEOUT
    assert exchange.failure.message == "no complete answer within 0.3 s"
    assert exchange.latency_s is None
    assert exchange.attempts == 1


@pytest.mark.parametrize("behaviour", SLOW)
def test_a_slow_answer_ends_with_its_time(behaviour: Behaviour) -> None:
    with FaultServer({"/q": behaviour}) as server:
        started = time.monotonic()
        [exchange] = ask(make_plan(f"{server.url}/q", timeout=TIMEOUT))
        assert_timed_out(exchange, started)


@pytest.mark.parametrize("behaviour", SLOW)
def test_time_is_kept_on_a_connection_used_again(behaviour: Behaviour) -> None:
    """Also where the worker has spoken to another host since."""

    def later(wire: Wire, request: Request) -> bool | None:
        if request.count > 1:
            return behaviour(wire, request)
        wire.send(GOOD)
        return True

    response = {"answer": "$.answer"}
    with FaultServer({"/r": later}) as first, FaultServer({"/q": answering(GOOD)}) as second:
        plan = make_plan(
            "",
            retrieve={"url": f"{first.url}/r", "response": response},
            answer={"url": f"{second.url}/q", "response": response},
            timeout=TIMEOUT,
        )
        started = time.monotonic()
        good, slow = ask(plan, Case("a", "a"), Case("b", "b"))
        assert good.failure is None
        assert_timed_out(slow, started)
        assert first.connections == 1


def test_the_next_call_has_all_its_time() -> None:
    def behave(wire: Wire, request: Request) -> bool:
        if request.count == 1:
            wire.hang()
            return False
        wire.send(GOOD)
        return True

    with FaultServer({"/q": behave}) as server:
        plan = make_plan(f"{server.url}/q", timeout=TIMEOUT)
        slow, good = ask(plan, Case("a", "a"), Case("b", "b"))
    assert slow.failure is not None
    assert good.failure is None


@pytest.fixture
def full() -> Iterator[str]:
    """A host whose queue of connections is full, so that connecting to it hangs."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        yield f"127.0.0.1:{address[1]}"
        for one in waiting:
            one.close()


def test_a_host_that_takes_no_connection(full: str) -> None:
    started = time.monotonic()
    [exchange] = ask(make_plan(f"http://{full}/", timeout=TIMEOUT))
    assert_timed_out(exchange, started)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_connecting_has_no_more_time_than_is_left(full: str, scheme: str) -> None:
    """A redirect may have used most of it."""
    watch = Watch()
    adapter = Adapter(watch)
    request = requests.Request("GET", f"{scheme}://{full}/").prepare()
    started = time.monotonic()
    with (
        watch.until(started + TIMEOUT),
        pytest.raises(HTTPError, match="timed out"),
    ):
        adapter.exchange(request, 30.0, Network({}, verify=True))
    assert time.monotonic() - started < TIMEOUT + 2
    adapter.close()


def test_a_handshake_that_never_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        started = time.monotonic()
        [exchange] = ask(
            make_plan(f"https://127.0.0.1:{listener.getsockname()[1]}/", timeout=TIMEOUT)
        )
        assert_timed_out(exchange, started)


def test_a_watch_shuts_all_its_connections_down_once_it_is_late() -> None:
    first, other = socket.socketpair()
    second, another = socket.socketpair()
    with first, second, other, another:
        watch = Watch()
        watch.connected(first)
        watch.connected(second)
        with watch.until(100.0):
            watch.check(99.9)
            assert not watch.expired
            watch.check(100.0)
            assert watch.expired
        assert other.recv(1) == b""
        assert another.recv(1) == b""


def test_a_watch_without_a_call_does_nothing() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        watch = Watch()
        watch.connected(ours)
        watch.check(float("inf"))
        with watch.until(1.0):
            pass
        watch.check(float("inf"))
        assert not watch.expired
        ours.send(b"x")
        assert theirs.recv(1) == b"x"


def test_closed_connections_are_let_go() -> None:
    watch = Watch()
    ours, theirs = socket.socketpair()
    watch.connected(ours)
    ours.close()
    theirs.close()
    with watch.until(0.0):
        watch.check(1.0)
    assert watch.expired


def test_aborting_ends_calls_in_flight_and_those_begun_later() -> None:
    watchdog = Watchdog()
    watch = watchdog.watch()
    watchdog.start()
    ours, theirs = socket.socketpair()
    later, end = socket.socketpair()
    with ours, theirs, later, end:
        watch.connected(ours)
        with watch.until(time.monotonic() + 60):
            reader = threading.Timer(0.05, watchdog.abort)
            reader.start()
            assert ours.recv(1) == b""
            reader.join()
        watch.connected(later)
        with watch.until(time.monotonic() + 60):
            assert later.recv(1) == b""
    watchdog.stop()
