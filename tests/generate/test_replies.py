"""Shapes in which models wrap what they were asked for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.generate.replies import (
    Answering,
    Checked,
    Written,
    read_answerable,
    read_check,
    read_elsewhere,
    read_questions,
)

ITEM = {"question": "Why?", "answer": "So", "quote": "It is so."}
WRITTEN = Written("Why?", "So", ("It is so.",))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["questions", "question", "answer", "quote", "answers", "passage"])
            | st.text(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "value",
    [
        {"questions": [ITEM]},
        [ITEM],
        ITEM,
        {"items": [ITEM]},
        {"questions": ITEM},
        {"output": [ITEM]},
        {"questions": [{"q": " Why? ", "a": "So", "evidence": ["It is so."]}]},
        {"questions": [ITEM, "noise", {"question": ""}, {"answer": "x"}]},
    ],
)
def test_questions(value: Any) -> None:
    assert read_questions(value) == [WRITTEN]


@pytest.mark.parametrize("value", [{"questions": []}, [], {"output": []}])
def test_no_questions(value: Any) -> None:
    assert read_questions(value) == []


@pytest.mark.parametrize(
    "value", [None, 1, "x", True, {}, {"a": 1, "b": []}, ["x"], [{"answer": "x"}], {"questions": 3}]
)
def test_what_holds_no_questions(value: Any) -> None:
    assert read_questions(value) is None


@pytest.mark.parametrize(
    ("answer", "read"),
    [(14, "14"), (1.5, "1.5"), (True, ""), (None, ""), (["a", "b"], "a, b"), ({}, "")],
)
def test_answers_that_are_no_text(answer: Any, read: str) -> None:
    found = read_questions([{"question": "Why?", "answer": answer}])
    assert found == [Written("Why?", read, ())]


@pytest.mark.parametrize("text", ["x" * 5_000, "a\x00b", "\ud800"])
def test_texts_that_cannot_be_written_are_none(text: str) -> None:
    assert read_questions([{"question": text}]) is None
    found = read_questions([{"question": "Why?", "answer": text, "quote": text}])
    assert found == [Written("Why?", "", ())]


@pytest.mark.parametrize(
    ("value", "checked"),
    [
        (
            {"answerable": True, "answer": "x", "correct": False},
            Checked(True, False, None, "x"),
        ),
        ([{"answerable": "yes", "correct": "TRUE"}], Checked(True, True, None, "")),
        ({"answerable": "maybe", "correct": 1}, Checked(None, None, None, "")),
        ({"correct": True}, None),
        ([], None),
        ("true", None),
    ],
)
def test_checks(value: Any, checked: Checked | None) -> None:
    assert read_check(value) == checked


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"answers": []}, []),
        ([], []),
        (
            {"answers": [{"passage": "2", "quote": "q", "verdict": "Different"}]},
            [Answering(1, "q", False)],
        ),
        ({"passage": 1, "quote": "q", "verdict": "same"}, [Answering(0, "q", True)]),
        ({"answers": [{"passage": 1, "verdict": "unsure"}]}, [Answering(0, "", None)]),
        ({"answers": [{"passage": 3, "verdict": "same"}]}, None),
        ({"answers": [{"passage": 0, "verdict": "same"}]}, None),
        ({"answers": [1]}, None),
        ("none", None),
        ({}, None),
    ],
)
def test_elsewhere(value: Any, found: list[Answering] | None) -> None:
    assert read_elsewhere(value, 2) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"answered": False}, False),
        ({"answered": "no", "passage": 1}, False),
        ({"answered": True, "passage": 2, "quote": "q"}, Answering(1, "q", None)),
        ({"answered": True, "passage": 9}, True),
        ({"answered": True}, True),
        ({"answered": None}, None),
        ({"passage": 1}, None),
        ([], None),
    ],
)
def test_answerable(value: Any, found: Any) -> None:
    assert read_answerable(value, 2) == found


@given(ANY_JSON)
def test_any_value_is_read_or_refused(value: Any) -> None:
    for one in read_questions(value) or []:
        assert one.question.strip() == one.question != ""
    read_check(value)
    for answering in read_elsewhere(value, 3) or []:
        assert 0 <= answering.passage < 3
    read_answerable(value, 3)
