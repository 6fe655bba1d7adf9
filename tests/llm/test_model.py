"""Asking models over real HTTP."""

import asyncio
import json
import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from faultserver import FaultServer, Request, Wire, closed_port
from prompting import KEY, ask, make_settings
from scripted import ScriptedServer, saying, script_of, serving

from ragproof.llm.errors import (
    BudgetError,
    CompletionError,
    FatalModelError,
    ModelError,
    Reason,
    RefusedError,
    TruncatedError,
    UnavailableError,
)
from ragproof.llm.model import LOST_AFTER, NOBODY_AFTER, open_model
from ragproof.llm.protocol import Completer
from ragproof.llm.settings import Provider
from ragproof.llm.usage import Usage


def base(server: ScriptedServer) -> str:
    return server.url.removesuffix("/v1")


@pytest.mark.parametrize("provider", list(Provider))
def test_every_provider_is_asked(provider: Provider) -> None:
    with serving(saying("you said {prompt}", key=KEY, model="m")) as server:
        settings = make_settings(base(server), provider=provider, model="m", key=KEY)
        with open_model(settings) as model:
            assert isinstance(model, Completer)
            assert ask(model, "why?") == ["you said why?"]
        assert model.usage == Usage(calls=1, tokens_in=1, tokens_out=3)


@pytest.mark.parametrize("provider", list(Provider))
def test_what_is_cut_off_or_refused_is_no_reply(provider: Provider) -> None:
    cut, refused = {"text": "{}", "finish": "length"}, {"text": "no", "finish": "refused"}
    script = script_of({"rules": [{"match": "cut", "steps": [cut]}], "steps": [refused]})
    with (
        serving(script) as server,
        open_model(make_settings(base(server), provider=provider)) as model,
    ):
        first, second = ask(model, "cut", "refused")
        assert isinstance(first, TruncatedError)
        assert first.reason is Reason.TRUNCATED
        assert "RAGPROOF_GEN_MAX_TOKENS" in first.hint
        if provider is not Provider.OLLAMA:  # its interface has no word for it
            assert isinstance(second, RefusedError)
        assert model.usage.failed == 1 + (provider is not Provider.OLLAMA)


@pytest.mark.parametrize("provider", list(Provider))
def test_a_wrong_key_ends_all_at_once(provider: Provider) -> None:
    with serving(saying("yes", key="another key")) as server:
        settings = make_settings(base(server), provider=provider, key=KEY, concurrency=1)
        with open_model(settings) as model:
            replies = ask(model, *map(str, range(20)))
    assert all(isinstance(one, FatalModelError) for one in replies)
    assert len(server.requests) == 1
    error = replies[0]
    assert isinstance(error, FatalModelError)
    assert "HTTP 401" in error.message
    assert "RAGPROOF_GEN_API_KEY" in error.hint
    assert not isinstance(error, CompletionError)


@pytest.mark.parametrize("provider", list(Provider))
def test_an_unknown_model_ends_all_at_once(provider: Provider) -> None:
    with serving(saying("yes", model="another")) as server:
        settings = make_settings(base(server), provider=provider, concurrency=2)
        with open_model(settings) as model:
            replies = ask(model, *map(str, range(20)))
    assert all(isinstance(one, FatalModelError) for one in replies)
    assert len(server.requests) <= 2
    assert isinstance(replies[0], FatalModelError)
    assert "RAGPROOF_GEN_MODEL" in replies[0].hint


@pytest.mark.parametrize(
    "trouble",
    [
        {"status": 429, "retry_after": 0},
        {"status": 429, "retry_after": "date"},
        {"status": 408},
        {"status": 425},
        {"status": 500},
        {"status": 503, "body": "<html>"},
        {"body": {"error": {"code": 502, "message": "upstream"}}},
        {"fault": "cut"},
        {"fault": "reset"},
    ],
    ids=str,
)
def test_what_passes_is_tried_again(trouble: dict[str, Any]) -> None:
    with serving(saying(trouble, "yes")) as server, open_model(make_settings(server.url)) as model:
        assert ask(model) == ["yes"]
        assert (model.usage.calls, model.usage.retries, model.usage.failed) == (1, 1, 0)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ({"status": 400, "message": "bad"}, Reason.REJECTED),
        ({"status": 422}, Reason.REJECTED),
        ({"status": 400, "code": "content_filter"}, Reason.REFUSED),
        ({"status": 400, "code": "context_length_exceeded"}, Reason.TOO_LONG),
        ({"body": "<html>hello"}, Reason.SHAPE),
        ({"body": {"object": "list"}}, Reason.SHAPE),
        ({"body": "[" * 100_000}, Reason.SHAPE),
        ({"text": ""}, Reason.EMPTY),
        ({"text": " \n"}, Reason.EMPTY),
    ],
    ids=str,
)
def test_what_does_not_pass_is_asked_once(trouble: dict[str, Any], reason: Reason) -> None:
    with serving(saying(trouble)) as server, open_model(make_settings(server.url)) as model:
        (error,) = ask(model)
        assert isinstance(error, CompletionError)
        assert error.reason is reason
        assert len(server.requests) == 1
        assert model.usage.failed == 1


def test_retry_after_is_waited_for_within_a_budget() -> None:
    with (
        serving(saying({"status": 429, "retry_after": 3600})) as server,
        open_model(make_settings(server.url, max_wait=0.3)) as model,
    ):
        started = time.monotonic()
        (error,) = ask(model)
        assert 0.3 <= time.monotonic() - started < 3
        assert isinstance(error, UnavailableError)
        assert "(2 tries)" in error.message
        assert "RAGPROOF_GEN_RATE_LIMIT" in error.hint
        assert len(server.requests) == 2


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_a_deadline_holds_however_slowly_bytes_drip(fault: str) -> None:
    with (
        serving(saying({"text": "yes", "fault": fault})) as server,
        open_model(make_settings(server.url, timeout=0.4)) as model,
    ):
        started = time.monotonic()
        (error,) = ask(model)
        assert time.monotonic() - started < 3
        assert isinstance(error, UnavailableError)
        assert "within 0.4 s" in error.message
        # Whether it was charged for is not known: it counts against the budget.
        assert model.usage.tokens_in > 0
        assert model.usage.estimated == 1


def test_a_body_of_unknown_length_that_the_deadline_ends_is_no_reply() -> None:
    def behave(wire: Wire, request: Request) -> None:
        choice = {"message": {"content": "yes"}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice]}).encode()
        wire.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", body)
        wire.hang()

    with (
        FaultServer({"/v1/chat/completions": behave}) as server,
        open_model(make_settings(f"{server.url}/v1", timeout=0.4)) as model,
    ):
        (error,) = ask(model)
    assert isinstance(error, UnavailableError)


def test_a_server_that_says_how_long_to_wait_is_waited_for() -> None:
    with (
        serving(saying({"status": 429, "retry_after": 1}, "yes")) as server,
        open_model(make_settings(server.url)) as model,
    ):
        started = time.monotonic()
        assert ask(model) == ["yes"]
        assert time.monotonic() - started >= 1.0  # without it, half a second at most


def test_where_nobody_is_all_ends_soon() -> None:
    with closed_port() as port:
        settings = make_settings(f"http://127.0.0.1:{port}/v1", retries=0, concurrency=1)
        with open_model(settings) as model:
            replies = ask(model, *map(str, range(50)))
    assert sum(isinstance(one, UnavailableError) for one in replies) == NOBODY_AFTER - 1
    last = replies[-1]
    assert isinstance(last, FatalModelError)
    assert "refused" in last.message
    assert "RAGPROOF_GEN_BASE_URL" in last.hint


def test_a_server_that_dies_on_the_way_ends_all_later() -> None:
    script = script_of({"rules": [{"match": "^0$", "steps": ["yes"]}], "steps": [{"status": 500}]})
    with serving(script) as server:
        settings = make_settings(server.url, retries=0, concurrency=1)
        with open_model(settings) as model:
            assert ask(model, "0") == ["yes"]
            replies = ask(model, *map(str, range(1, 40)))
    assert sum(isinstance(one, UnavailableError) for one in replies) == LOST_AFTER - 1
    assert isinstance(replies[-1], FatalModelError)
    assert len(server.requests) == 1 + LOST_AFTER


@pytest.mark.parametrize("url", ["http://no-such-host.invalid/v1", "http://169.254.169.254/v1"])
def test_addresses_that_cannot_be_asked(url: str) -> None:
    with open_model(make_settings(url)) as model:
        (error,) = ask(model)
    assert isinstance(error, FatalModelError)
    assert "RAGPROOF_GEN_BASE_URL" in error.hint


def test_no_redirect_is_followed() -> None:
    with serving(saying({"status": 307, "body": ""})) as server:
        with open_model(make_settings(server.url)) as model:
            (error,) = ask(model)
        assert isinstance(error, FatalModelError)
        assert len(server.requests) == 1


def test_as_many_are_in_flight_as_are_allowed_and_no_more() -> None:
    with serving(saying({"text": "yes", "latency": 0.1})) as server:
        with open_model(make_settings(server.url, concurrency=4)) as model:
            assert set(ask(model, *map(str, range(20)))) == {"yes"}
        assert server.most == 4


def test_the_rate_is_kept() -> None:
    with (
        serving(saying("yes")) as server,
        open_model(make_settings(server.url, rate_limit=20.0)) as model,
    ):
        started = time.monotonic()
        ask(model, *map(str, range(11)))
        assert time.monotonic() - started >= 0.5


def test_a_prompt_asked_twice_at_once_goes_out_once() -> None:
    with serving(saying({"text": "yes", "latency": 0.1})) as server:
        with open_model(make_settings(server.url)) as model:
            assert ask(model, "a", "a", "a") == ["yes"] * 3
        assert len(server.requests) == 1


def test_what_failed_can_be_asked_again() -> None:
    with (
        serving(saying({"status": 400}, "yes", "no")) as server,
        open_model(make_settings(server.url)) as model,
    ):
        assert isinstance(ask(model)[0], CompletionError)
        assert ask(model) == ["yes"]
        assert ask(model) == ["no"]  # nothing is kept without a cache


def test_who_stops_waiting_does_not_end_the_call_of_others() -> None:
    async def three(model: Any) -> str:
        earlier = asyncio.create_task(model.get_completion_async("a"))
        first = asyncio.create_task(model.get_completion_async("b"))
        second = asyncio.create_task(model.get_completion_async("b"))
        await asyncio.sleep(0.05)
        first.cancel()  # while its call still waits for a thread
        await earlier
        return str(await second)

    with (
        serving(saying({"text": "yes", "latency": 0.2})) as server,
        open_model(make_settings(server.url, concurrency=1)) as model,
    ):
        assert asyncio.run(three(model)) == "yes"


def test_failures_between_replies_end_nothing() -> None:
    script = script_of({"rules": [{"match": "good", "steps": ["yes"]}], "steps": [{"status": 400}]})
    prompts = [f"{'good' if index % 2 else 'bad'} {index}" for index in range(3 * LOST_AFTER)]
    with (
        serving(script) as server,
        open_model(make_settings(server.url, concurrency=1)) as model,
    ):
        replies = ask(model, *prompts)
    assert not any(isinstance(one, FatalModelError) for one in replies)
    assert replies.count("yes") == len(prompts) // 2


def test_closing_ends_calls_in_flight_at_once() -> None:
    with serving(saying({"text": "yes", "latency": 30})) as server:
        model = open_model(make_settings(server.url, timeout=60.0))
        threading.Timer(0.3, model.close).start()
        started = time.monotonic()
        replies = ask(model, "a", "b")
        assert time.monotonic() - started < 5
        assert all(isinstance(one, CompletionError) for one in replies)
        model.close()
        (late,) = ask(model, "c")
        assert isinstance(late, CompletionError)
        assert late.reason is Reason.STOPPED


def test_a_dialect_is_learnt_once() -> None:
    def answer(prompt: str, count: int) -> Any:
        if "max_tokens" in server.requests[-1].body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return {"status": 400, "code": "unsupported_parameter", "message": message}
        if "temperature" in server.requests[-1].body:
            return {"status": 400, "message": "'temperature' is not supported"}
        return "yes"

    with serving(answer) as server:
        with open_model(make_settings(server.url, concurrency=1)) as model:
            assert ask(model, "a", "b", "c") == ["yes"] * 3
        assert len(server.requests) == 5
        assert server.requests[-1].body["max_completion_tokens"] == 100


def test_tokens_are_estimated_where_they_are_not_counted() -> None:
    with serving(saying({"text": "y" * 40, "usage": False})) as server:
        settings = make_settings(server.url, price_in=1.0, price_out=10.0)
        with open_model(settings) as model:
            ask(model, "w" * 40)
        used = model.usage
    assert (used.tokens_in, used.tokens_out, used.estimated) == (18, 10, 1)
    assert used.cost == pytest.approx(118 / 1_000_000)


def test_a_budget_stops_before_the_call_that_could_exceed_it() -> None:
    with serving(saying("y" * 80)) as server:
        # Each call may take 100 tokens out and some 10 in, and takes 20 and 2.
        settings = make_settings(server.url, budget_tokens=300, concurrency=4)
        with open_model(settings) as model:
            replies = ask(model, *(f"prompt {index}" for index in range(40)))
            used = model.usage
    assert used.tokens <= 300
    stopped = [one for one in replies if isinstance(one, BudgetError)]
    assert len(stopped) + used.calls == 40
    assert used.calls >= 7  # those in flight were waited for, not counted as spent
    assert "RAGPROOF_GEN_BUDGET_TOKENS" in stopped[0].hint
    assert not isinstance(stopped[0], CompletionError)


def test_a_budget_of_money() -> None:
    with serving(saying("yes")) as server:
        settings = make_settings(server.url, budget_cost=0.5, price_in=0.0, price_out=10_000.0)
        with open_model(settings) as model:
            (error,) = ask(model)
    assert isinstance(error, BudgetError)
    assert "RAGPROOF_GEN_BUDGET_COST" in error.hint
    assert server.requests == []


def test_an_interrupted_run_costs_nothing_twice(tmp_path: Path) -> None:
    prompts = [str(index) for index in range(10)]
    with serving(saying("you said {prompt}")) as server:
        settings = make_settings(server.url, price_in=1.0, price_out=1.0)
        with open_model(settings, cache=tmp_path) as model:
            ask(model, *prompts[:6])
        with open_model(settings, cache=tmp_path) as model:
            estimate = model.estimate(prompts)
            assert (estimate.calls, estimate.tokens_out_at_most) == (4, 400)
            assert ask(model, *prompts) == [f"you said {prompt}" for prompt in prompts]
            assert (model.usage.calls, model.usage.cached) == (4, 6)
            assert estimate.cost_at_most is not None
            assert model.usage.cost is not None
            assert model.usage.cost <= estimate.cost_at_most
        assert len(server.requests) == 10


def test_what_was_cut_off_is_not_paid_for_twice_either(tmp_path: Path) -> None:
    with serving(saying({"text": "{}", "finish": "length"})) as server:
        for _ in range(2):
            with open_model(make_settings(server.url), cache=tmp_path) as model:
                (error,) = ask(model)
                assert isinstance(error, TruncatedError)
        assert len(server.requests) == 1
        with open_model(make_settings(server.url, max_tokens=200), cache=tmp_path) as model:
            ask(model)
        assert len(server.requests) == 2


def test_failures_are_not_kept(tmp_path: Path) -> None:
    with serving(saying({"status": 400}, "", "yes")) as server:
        for _ in range(2):
            with open_model(make_settings(server.url), cache=tmp_path) as model:
                assert isinstance(ask(model)[0], ModelError)
        with open_model(make_settings(server.url), cache=tmp_path) as model:
            assert ask(model) == ["yes"]


def test_a_cache_that_cannot_be_written_loses_no_reply(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with (
        serving(saying("yes")) as server,
        open_model(make_settings(server.url), cache=file / "folder") as model,
    ):
        assert ask(model) == ["yes"]
        assert "cannot be kept" in model.problem


def test_the_key_is_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echoes: list[Any] = [
        f"your key is {KEY}",
        {"status": 400, "message": f"bad key {KEY}"},
        {"status": 400, "body": f"bad key {KEY}"},
        {"body": {"choices": [{"message": {"content": KEY}, "finish_reason": KEY}]}},
        {"status": 401, "message": KEY},
    ]
    said = []
    with serving(lambda prompt, count: echoes[int(prompt)]) as server:
        for index in range(len(echoes)):
            settings = make_settings(server.url, key=KEY, retries=0)
            with open_model(settings, cache=tmp_path) as model:
                (reply,) = ask(model, str(index))
                said.append(f"{reply!r} {getattr(reply, 'hint', '')} {model.settings}")
    assert all(one.key == KEY for one in server.requests)
    kept = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert kept
    assert KEY not in "\n".join([*said, *kept, caplog.text])
    assert "***" in said[0]


def test_prompts_of_any_text_arrive() -> None:
    prompt = 'Grüße "日本語" \x00\u2028 \\ 🎉'
    with serving(saying("yes")) as server:
        with open_model(make_settings(server.url)) as model:
            assert ask(model, prompt, "\ud800") == ["yes", "yes"]
        assert {one.prompt for one in server.requests} == {prompt, "\ud800"}


def test_replies_of_any_text_arrive() -> None:
    text = json.dumps({"a": "日本語 🎉"}, ensure_ascii=False)
    with serving(saying({"text": text})) as server, open_model(make_settings(server.url)) as model:
        assert ask(model) == [text]
