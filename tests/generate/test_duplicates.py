"""Questions that were asked already, or nearly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.generate.duplicates import NEAR, Asked
from ragproof.generate.records import Discard
from ragproof.generate.text import numbers, parts, similarity

FIRST = "What does it cost to rent a kayak for one day?"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (FIRST, Discard.DUPLICATE),
        ("what does it COST to rent a kayak — for one day", Discard.DUPLICATE),
        ("What does it cost to rent a kayak for one single day?", Discard.NEAR_DUPLICATE),
        ("What does it cost to rent one kayak for a day?", Discard.NEAR_DUPLICATE),
        ("What does it cost to rent a tent for one week?", None),
        ("Who is the warden of the hut?", None),
    ],
)
def test_reasons(question: str, reason: Discard | None) -> None:
    asked = Asked()
    asked.add(FIRST)
    assert asked.reason(question) is reason


def test_questions_that_differ_in_a_number_are_two() -> None:
    asked = Asked()
    asked.add("How many visitors came to the museum of the town in the year 2010?")
    assert (
        asked.reason("How many visitors came to the museum of the town in the year 2011?") is None
    )


@given(
    st.lists(st.text("abcd efgh12", min_size=1, max_size=40), max_size=8), st.text("abcd efgh12")
)
def test_near_is_what_comparing_with_each_says(taken: list[str], question: str) -> None:
    asked = Asked()
    for one in taken:
        asked.add(one)
    own = set(parts(question))
    expected = any(
        own & set(parts(one))
        and similarity(own, parts(one)) >= NEAR
        and numbers(one) == numbers(question)
        for one in taken
    )
    assert asked.is_near(question) is expected
