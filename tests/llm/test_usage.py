"""Counting tokens and holding to a budget."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompting import make_settings

from ragproof.llm.errors import BudgetError
from ragproof.llm.tokens import estimate_tokens
from ragproof.llm.usage import Account, estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("The quick brown fox jumps over the lazy dog.", 11),
        ("天地玄黄宇宙洪荒", 8),
        ("ひらがな", 4),
        ("สวัสดี", 6),
        ("안녕하세요", 5),
        ("привет", 3),
        ("🎉🎉", 2),
        ("abcd天", 2),
    ],
)
def test_tokens_by_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    both = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= both
    assert both <= estimate_tokens(one) + estimate_tokens(other)


def test_estimates() -> None:
    settings = make_settings("http://h", price_in=2.0, price_out=3.0)
    found = estimate(settings, ["a" * 32, "b" * 32])
    assert (found.calls, found.tokens_in, found.tokens_out_at_most) == (2, 32, 200)
    assert found.cost_at_most == pytest.approx((32 * 2 + 200 * 3) / 1e6)
    assert estimate(make_settings("http://h"), []).cost_at_most is None


@pytest.mark.parametrize(("size", "max_tokens"), [(10, 70), (70, 10)])
def test_a_call_waits_for_those_in_flight_and_then_goes_on(size: int, max_tokens: int) -> None:
    settings = make_settings("http://h", budget_tokens=150, max_tokens=max_tokens)
    account = Account(settings)
    stop = threading.Event()
    account.reserve(size, stop)
    done = threading.Event()

    def other() -> None:
        account.reserve(size, stop)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert not done.wait(0.3)
    account.spend(10, 10, estimated=False)
    account.release(size)
    assert done.wait(2)
    thread.join()


def test_a_call_that_could_never_fit_does_not_wait() -> None:
    account = Account(make_settings("http://h", budget_tokens=150))
    account.reserve(10, threading.Event())
    with pytest.raises(BudgetError):
        account.reserve(51, threading.Event())


def test_the_whole_budget_can_be_spent() -> None:
    account = Account(make_settings("http://h", budget_tokens=110))
    account.reserve(10, threading.Event())
    account.spend(10, 100, estimated=False)
    account.release(10)
    with pytest.raises(BudgetError, match="110 of 110 tokens are spent"):
        account.reserve(0, threading.Event())


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 100)), max_size=50), st.integers(1, 2000)
)
def test_no_budget_is_ever_exceeded(calls: list[tuple[int, int]], budget: int) -> None:
    account = Account(make_settings("http://h", budget_tokens=budget))
    for tokens_in, tokens_out in calls:
        try:
            account.reserve(tokens_in, threading.Event())
        except BudgetError:
            continue
        account.spend(tokens_in, tokens_out, estimated=False)
        account.release(tokens_in)
    assert account.usage.tokens <= budget
