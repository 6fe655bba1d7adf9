"""All cases: how many at a time, how fast, when it is given up, and what comes of it."""

import random
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from asking import make_plan
from faultserver import Behaviour, FaultServer, Request, Wire, answering, closed_port, reply

from ragproof.endpoint.ask import ANY_FAILURE_AFTER, HOPELESS_AFTER, Asking, Breaker
from ragproof.endpoint.client import Exchange, Plan
from ragproof.endpoint.pace import Pace
from ragproof.records import Case, Failure, FailureKind

GOOD = reply(b'{"answer":"yes"}')


def cases(count: int) -> list[Case]:
    return [Case(f"case-{index}", f"question {index}") for index in range(count)]


class Kept:
    """Keeps what comes of each case."""

    def __init__(self) -> None:
        self.exchanges: dict[int, Exchange] = {}
        self.arrived = threading.Event()

    def __call__(self, index: int, exchange: Exchange) -> Failure | None:
        assert index not in self.exchanges
        self.exchanges[index] = exchange
        self.arrived.set()
        return exchange.failure


def ask_all(plan: Plan, asked: Sequence[Case]) -> tuple[Asking, Kept]:
    kept = Kept()
    asking = Asking(plan, asked, kept)
    asking.begin()
    assert asking.wait(30)
    asking.end()
    return asking, kept


def hang(wire: Wire, request: Request) -> None:
    wire.hang()


def echo(wire: Wire, request: Request) -> bool:
    wire.send(reply(b'{"answer":' + request.body + b"}"))
    return True


def flaky(share: float) -> Behaviour:
    """Fails the first try of a share of the questions, chosen by what they say."""

    def behave(wire: Wire, request: Request) -> bool:
        chance = random.Random(request.body)
        first = request.body not in seen
        seen.add(request.body)
        if first and chance.random() < share:
            kind = chance.choice(["reset", "cut", "503", "429", "close"])
            if kind == "reset":
                wire.reset()
            elif kind == "cut":
                wire.send(reply(b'{"answer":', length=100))
            elif kind != "close":
                wire.send(reply(b"", f"{kind} Later", headers))
            return False
        return echo(wire, request)

    headers = {"Retry-After": "0", "Connection": "close"}
    seen: set[bytes] = set()
    return behave


def test_every_case_is_taken_once() -> None:
    asked = cases(50)
    with FaultServer({"/q": echo}) as server:
        asking, kept = ask_all(make_plan(f"{server.url}/q", concurrency=8), asked)
    assert (asking.done, asking.failed) == (50, 0)
    assert [kept.exchanges[index].parsed["answer"]["answer"]["q"] for index in range(50)] == [
        case.question for case in asked
    ]
    assert server.connections <= 8


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_the_number_of_workers_changes_nothing(share: float) -> None:
    results: list[Any] = []
    for workers in (1, 64):
        with FaultServer({"/q": flaky(share)}) as server:
            plan = make_plan(f"{server.url}/q", concurrency=workers, max_wait=5.0)
            asking, kept = ask_all(plan, cases(80))
        assert asking.failed == 0
        assert len(server.requests) >= 80
        results.append(
            [
                (one.bodies, one.parsed, one.attempts, one.failure)
                for _, one in sorted(kept.exchanges.items())
            ]
        )
    assert results[0] == results[1]
    assert (max(attempts for _, _, attempts, _ in results[0]) > 1) == (share > 0)


def test_fewer_cases_than_workers() -> None:
    with FaultServer({"/q": answering(GOOD)}) as server:
        asking, _ = ask_all(make_plan(f"{server.url}/q", concurrency=256), cases(1))
    assert asking.done == 1


# The rate


def test_the_rate_is_kept() -> None:
    with FaultServer({"/q": answering(GOOD)}) as server:
        started = time.monotonic()
        ask_all(make_plan(f"{server.url}/q", concurrency=8, rate_limit=40.0), cases(21))
    assert 0.5 <= time.monotonic() - started < 2


def test_tries_and_second_requests_count_towards_the_rate() -> None:
    def failing_once(wire: Wire, request: Request) -> bool:
        bad = request.count % 2
        wire.send(reply(b"", "503 Busy", {"Retry-After": "0"}) if bad else GOOD)
        return True

    response = {"answer": "$.answer"}
    with FaultServer({"/r": failing_once, "/q": answering(GOOD)}) as server:
        plan = make_plan(
            "",
            retrieve={"url": f"{server.url}/r", "response": response},
            answer={"url": f"{server.url}/q", "response": response},
            rate_limit=40.0,
            concurrency=1,
        )
        started = time.monotonic()
        asking, _ = ask_all(plan, cases(7))
    assert asking.failed == 0
    assert len(server.requests) == 21
    assert time.monotonic() - started >= 0.5


def test_latency_leaves_the_wait_for_the_rate_out() -> None:
    with FaultServer({"/q": answering(GOOD)}) as server:
        _, kept = ask_all(make_plan(f"{server.url}/q", rate_limit=10.0), cases(4))
    assert max(one.latency_s or 9 for one in kept.exchanges.values()) < 0.09


def test_a_pace_is_even_and_ends_when_told() -> None:
    stop = threading.Event()
    pace = Pace(100.0)
    started = time.monotonic()
    for _ in range(6):
        pace.wait(stop)
    assert time.monotonic() - started >= 0.05
    stop.set()
    slow = Pace(0.001)
    slow.wait(stop)
    slow.wait(stop)
    assert time.monotonic() - started < 5


# Giving up


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_refused_credentials_end_it_early(status: str) -> None:
    with FaultServer({"/q": answering(reply(b"{}", status))}) as server:
        asking, _ = ask_all(make_plan(f"{server.url}/q", concurrency=4), cases(200))
    assert asking.breaker.tripped is not None
    assert asking.breaker.tripped.kind is FailureKind.AUTH
    assert HOPELESS_AFTER <= asking.done <= len(server.requests) < HOPELESS_AFTER + 4


def test_refused_connections_end_it_early() -> None:
    with closed_port() as port:
        plan = make_plan(f"http://127.0.0.1:{port}/", concurrency=4, retries=0)
        asking, _ = ask_all(plan, cases(200))
    assert asking.breaker.tripped is not None
    assert asking.breaker.tripped.kind is FailureKind.REFUSED
    assert asking.done < HOPELESS_AFTER + 4


def test_nothing_but_failures_ends_it_early() -> None:
    with FaultServer({"/q": answering(reply(b"<html>"))}) as server:
        asking, _ = ask_all(make_plan(f"{server.url}/q", concurrency=4), cases(200))
    assert asking.breaker.tripped is not None
    assert ANY_FAILURE_AFTER <= asking.done < ANY_FAILURE_AFTER + 4


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "404 Not Found"])
def test_after_a_first_answer_every_case_is_asked(status: str) -> None:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(GOOD if request.count == 1 else reply(b"{}", status))
        return True

    with FaultServer({"/q": behave}) as server:
        asking, _ = ask_all(make_plan(f"{server.url}/q", concurrency=1), cases(60))
    assert asking.breaker.tripped is None
    assert (asking.done, asking.failed) == (60, 59)


def test_a_breaker_that_saw_an_answer_never_trips() -> None:
    breaker = Breaker()
    failure = Failure(FailureKind.AUTH, "HTTP 401")
    assert not any(breaker.note(failure) for _ in range(HOPELESS_AFTER - 1))
    assert not breaker.note(None)
    assert not any(breaker.note(failure) for _ in range(100))
    assert breaker.tripped is None


def test_passing_faults_do_not_count_as_hopeless() -> None:
    breaker = Breaker()
    failure = Failure(FailureKind.STATUS, "HTTP 500")
    assert not any(breaker.note(failure) for _ in range(ANY_FAILURE_AFTER - 1))
    assert breaker.note(failure)


# Cancelling


@pytest.mark.parametrize("rate", [None, 5.0])
@pytest.mark.parametrize("requests", [1, 2])
def test_cancelling_takes_two_seconds_at_most(requests: int, rate: float | None) -> None:
    def first_only(wire: Wire, request: Request) -> bool:
        if request.count == 1:
            wire.send(GOOD)
            return True
        wire.hang()
        return False

    response = {"answer": "$.answer"}
    with FaultServer({"/q": first_only, "/r": answering(GOOD)}) as server:
        answer = {"url": f"{server.url}/q", "response": response}
        both = {"retrieve": {"url": f"{server.url}/r", "response": response}, "answer": answer}
        fields: dict[str, Any] = both if requests == 2 else {"answer": answer}
        kept = Kept()
        asking = Asking(make_plan("", concurrency=4, rate_limit=rate, **fields), cases(50), kept)
        asking.begin()
        assert kept.arrived.wait(5)
        started = time.monotonic()
        asking.cancel()
        asking.end()
        asked = len(server.requests)
        assert time.monotonic() - started < 2
        assert asking.wait(0)
        assert len(server.requests) == asked
    assert asking.done == 1
    assert [one.failure for one in kept.exchanges.values()] == [None]


def test_cancelling_lets_calls_in_flight_end() -> None:
    release, begun = threading.Event(), threading.Event()

    def slow(wire: Wire, request: Request) -> bool:
        begun.set()
        release.wait(5)
        wire.send(GOOD)
        return True

    with FaultServer({"/q": slow}) as server:
        kept = Kept()
        asking = Asking(make_plan(f"{server.url}/q", concurrency=1), cases(5), kept)
        asking.begin()
        assert begun.wait(5)
        threading.Timer(0.1, release.set).start()
        asking.cancel()
        asking.end()
    assert (asking.done, len(server.requests)) == (1, 1)


def test_nothing_is_asked_once_cancelled() -> None:
    with FaultServer({"/q": answering(GOOD)}) as server:
        kept = Kept()
        asking = Asking(make_plan(f"{server.url}/q", rate_limit=0.2), cases(20), kept)
        asking.begin()
        assert kept.arrived.wait(5)
        asking.cancel()
        asking.end()
        assert len(server.requests) == 1
    assert asking.done == 1


def test_cancelling_ends_a_wait_between_tries() -> None:
    with FaultServer({"/q": answering(reply(b"", "503 Busy", {"Retry-After": "30"}))}) as server:
        asking = Asking(make_plan(f"{server.url}/q"), cases(2), Kept())
        asking.begin()
        while len(server.requests) < 2:
            time.sleep(0.005)
        started = time.monotonic()
        asking.cancel()
        asking.end()
        assert time.monotonic() - started < 1
    assert asking.done == 0


def test_what_a_worker_dies_of_is_raised_and_ends_the_others() -> None:
    def behave(wire: Wire, request: Request) -> bool:
        if b"question 0" in request.body:
            wire.send(GOOD)
            return True
        wire.hang()
        return False

    def take(index: int, exchange: Exchange) -> None:
        raise OSError(28, "No space left on device")

    with FaultServer({"/q": behave}) as server:
        asking = Asking(make_plan(f"{server.url}/q", concurrency=3), cases(9), take)
        asking.begin()
        assert asking.wait(2)
        with pytest.raises(OSError, match="No space left"):
            asking.end()
        assert len(server.requests) <= 3
