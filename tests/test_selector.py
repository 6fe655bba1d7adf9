"""Selections of cases, in ``--select`` and in slices."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.errors import ConfigError
from ragproof.records import Case, Kind
from ragproof.selector import KEYS, Selector, parse_selector

values = st.text(string.ascii_letters + string.digits + " -_./:é漢", min_size=1).filter(
    lambda one: one == one.strip() and one
)
terms = st.one_of(
    st.tuples(st.just("kind"), st.sampled_from([kind.value for kind in Kind])),
    st.tuples(st.sampled_from([key for key in KEYS if key != "kind"]), values),
)


@given(st.lists(terms, min_size=1, max_size=4))
def test_what_is_written_is_read_back(pairs: list[tuple[str, str]]) -> None:
    selector = Selector(tuple(pairs))
    assert parse_selector(str(selector)) == selector
    spaced = " , ".join(f" {key} = {value} " for key, value in pairs)
    assert parse_selector(spaced) == selector


def case(**fields: object) -> Case:
    defaults = {"id": "a", "question": "?", "tags": ("x", "y"), "language": "en"}
    return Case(**(defaults | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("id=a", True),
        ("id=b", False),
        ("kind=qa", True),
        ("kind=injection", False),
        ("tag=x", True),
        ("tag=z", False),
        ("language=en", True),
        ("language=de", False),
        ("kind=qa,tag=x", True),
        ("kind=qa,tag=z", False),
        ("tag=z,tag=y", True),
        ("kind=injection,kind=qa,tag=x", True),
        ("kind=qa,kind=qa", True),
    ],
)
def test_different_keys_narrow_and_equal_keys_widen(text: str, matches: bool) -> None:
    assert parse_selector(text).matches(case()) is matches


def test_a_case_without_a_language_has_none() -> None:
    assert not parse_selector("language=None").matches(case(language=None))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read ''"),
        ("kind", "cannot read 'kind'"),
        ("kind=", "cannot read 'kind='"),
        ("=qa", "cannot read '=qa'"),
        ("knd=qa", "cannot read 'knd=qa'"),
        ("Kind=qa", "cannot read 'Kind=qa'"),
        ("kind=qa,", "cannot read ''"),
        ("kind=qa;tag=x", "there is no kind 'qa;tag=x'"),
        ("kind=QA", "there is no kind 'QA'"),
    ],
)
def test_near_misses_are_refused_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parse_selector(text)
    assert caught.value.hint
