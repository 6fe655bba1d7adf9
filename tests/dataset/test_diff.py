"""What changed between two sets, case by case."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.dataset.diff import ChangedCase, diff_datasets
from ragproof.dataset.frozen import hash_cases
from ragproof.dataset.schema import read_case
from ragproof.records import Case

Raw = Callable[..., dict[str, Any]]


def test_added_removed_changed_reordered(raw: Raw) -> None:
    old = [read_case(raw(id=one)) for one in "abcd"]
    new = [
        read_case(raw(id="d")),
        read_case(raw(id="b", question="?", tags=["t"])),
        read_case(raw(id="e")),
        read_case(raw(id="c")),
    ]
    diff = diff_datasets(old, new)
    assert diff.added == ("e",)
    assert diff.removed == ("a",)
    assert diff.changed == (ChangedCase("b", ("question", "tags")),)
    assert diff.reordered
    assert diff.same == 2
    assert diff


def test_additions_and_removals_are_no_new_order(raw: Raw) -> None:
    a, b, c = (read_case(raw(id=one)) for one in "abc")
    assert not diff_datasets([a, b], [c, a, b]).reordered
    assert not diff_datasets([a, b, c], [a, c]).reordered


@pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (0, False), (0.0, -0.0), ([], {})])
def test_what_hashes_differently_is_a_change(raw: Raw, pair: tuple[Any, Any]) -> None:
    old, new = ([read_case(raw(origin={"x": one}))] for one in pair)
    assert diff_datasets(old, new).changed == (ChangedCase("a", ("origin",)),)


cases = st.lists(
    st.builds(
        Case,
        id=st.sampled_from("abcdef"),
        question=st.sampled_from(["x", "y"]),
        tags=st.sampled_from([(), ("t",)]),
        origin=st.sampled_from([None, {}, {"n": 1}, {"n": 1.0}]),
    ),
    unique_by=lambda case: case.id,
)


@given(cases, cases)
def test_sets_differ_exactly_when_their_hashes_do(old: list[Case], new: list[Case]) -> None:
    diff = diff_datasets(old, new)
    assert bool(diff) == (hash_cases(old).dataset != hash_cases(new).dataset)
    assert diff.same + len(diff.changed) + len(diff.removed) == len(old)
    back = diff_datasets(new, old)
    assert (back.added, back.removed, back.reordered) == (diff.removed, diff.added, diff.reordered)
