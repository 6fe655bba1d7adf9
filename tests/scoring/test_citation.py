"""Citation validity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.records import Chunk, Chunks
from ragproof.scoring.citation import validity

CHUNKS = Chunks.of(
    [
        Chunk("a.md#1", document_id="a.md"),
        Chunk("b.md#4", document_id="b.md"),
        Chunk(None, "no id, no document"),
    ]
)


@pytest.mark.parametrize(
    ("citations", "right"),
    [
        (["a.md#1"], 1.0),
        (["b.md"], 1.0),
        (["a.md#1", "b.md#4", "a.md"], 1.0),
        (["c.md"], 0.0),
        (["a.md#2"], 0.0),
        (["a.md#1", "c.md"], 1 / 2),
        (["a.md#1", "a.md#1", "a.md#1", "c.md"], 1 / 2),
        (["A.MD#1"], 0.0),
        ([""], 0.0),
        (["None"], 0.0),
    ],
)
def test_share_of_distinct_citations_that_were_retrieved(
    citations: list[str], right: float
) -> None:
    assert validity(citations, CHUNKS) == right


def test_nothing_cited_is_no_score() -> None:
    assert validity([], CHUNKS) is None
    assert validity([], Chunks()) is None


def test_citing_when_nothing_was_retrieved_is_0() -> None:
    assert validity(["a.md"], Chunks()) == 0


@given(st.lists(st.sampled_from(["a.md", "b.md", "c.md", "d.md"]), min_size=1))
def test_order_and_repetition_do_not_matter(citations: list[str]) -> None:
    right = validity(sorted(set(citations)), CHUNKS)
    assert right is not None
    assert 0 <= right <= 1
    assert validity(citations, CHUNKS) == right
    assert validity(citations * 2, CHUNKS) == right
