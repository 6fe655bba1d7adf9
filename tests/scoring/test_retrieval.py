"""Retrieval metrics: figures worked out by hand, naive definitions, and what must always hold."""

import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.scoring import retrieval

Judged = tuple[list[bool], int]
"""For each rank whether it is relevant, and the number of gold items."""


@st.composite
def judged(draw: st.DrawFn) -> Judged:
    hits = draw(st.lists(st.booleans(), max_size=30))
    return hits, draw(st.integers(max(1, sum(hits)), sum(hits) + 20))


cutoffs = st.integers(1, 40)


def ranks(hits: Sequence[bool]) -> tuple[int, ...]:
    return tuple(rank for rank, relevant in enumerate(hits, 1) if relevant)


def recall_at(hits: Sequence[bool], gold: int, k: int) -> float:
    return retrieval.recall(sum(hits[:k]), gold)


def naive_average_precision(hits: Sequence[bool], gold: int, k: int) -> float:
    total = 0.0
    for position in range(min(k, len(hits))):
        if hits[position]:
            total += sum(hits[: position + 1]) / (position + 1)
    return total / gold


def naive_ndcg(hits: Sequence[bool], gold: int, k: int) -> float:
    def gain(order: Sequence[bool]) -> float:
        return sum(hit / math.log(rank + 1, 2) for rank, hit in enumerate(order[:k], 1))

    return gain(hits) / gain([True] * gold)


AT_K: dict[str, Callable[[Sequence[bool], int, int], float]] = {
    "precision": lambda hits, gold, k: retrieval.precision(ranks(hits), k),
    "recall": recall_at,
    "hit": lambda hits, gold, k: retrieval.hit(ranks(hits), k),
    "mrr": lambda hits, gold, k: retrieval.reciprocal_rank(ranks(hits), k),
    "map": lambda hits, gold, k: retrieval.average_precision(ranks(hits), gold, k),
    "ndcg": lambda hits, gold, k: retrieval.ndcg(ranks(hits), gold, k),
}


class TestByHand:
    """Ten retrieved, relevant at ranks 1, 3 and 6, five gold items."""

    RANKS = (1, 3, 6)
    GOLD = 5

    @pytest.mark.parametrize(
        ("k", "right"), [(1, 1.0), (2, 1 / 2), (3, 2 / 3), (5, 2 / 5), (10, 3 / 10), (20, 3 / 20)]
    )
    def test_precision_divides_by_k_whatever_was_returned(self, k: int, right: float) -> None:
        assert retrieval.precision(self.RANKS, k) == right

    def test_recall_divides_by_all_gold_items(self) -> None:
        assert [retrieval.recall(found, self.GOLD) for found in (0, 1, 3, 5)] == [0, 0.2, 0.6, 1]

    @pytest.mark.parametrize(("first", "k", "right"), [(1, 1, 1), (3, 2, 0), (3, 3, 1), (3, 9, 1)])
    def test_hit(self, first: int, k: int, right: float) -> None:
        assert retrieval.hit((first, 12), k) == right

    @pytest.mark.parametrize(
        ("first", "k", "right"), [(1, None, 1), (4, None, 1 / 4), (4, 4, 1 / 4), (4, 3, 0)]
    )
    def test_reciprocal_rank(self, first: int, k: int | None, right: float) -> None:
        assert retrieval.reciprocal_rank((first, 12), k) == right

    @pytest.mark.parametrize(
        ("k", "right"),
        [
            (None, (1 + 2 / 3 + 3 / 6) / 5),
            (1, 1 / 5),
            (5, (1 + 2 / 3) / 5),
            (6, (1 + 2 / 3 + 3 / 6) / 5),
        ],
    )
    def test_average_precision_divides_by_all_gold_items(self, k: int | None, right: float) -> None:
        assert retrieval.average_precision(self.RANKS, self.GOLD, k) == pytest.approx(right)

    @pytest.mark.parametrize(
        ("k", "right"),
        [
            (1, 1.0),
            (3, (1 + 0.5) / (1 + 0.63093 + 0.5)),
            (5, (1 + 0.5) / (1 + 0.63093 + 0.5 + 0.43068 + 0.38685)),
            (10, (1 + 0.5 + 0.35621) / (1 + 0.63093 + 0.5 + 0.43068 + 0.38685)),
            (None, (1 + 0.5 + 0.35621) / (1 + 0.63093 + 0.5 + 0.43068 + 0.38685)),
        ],
    )
    def test_ndcg(self, k: int | None, right: float) -> None:
        assert retrieval.ndcg(self.RANKS, self.GOLD, k) == pytest.approx(right, abs=1e-5)


class TestJarvelinAndKekalainen:
    """The example vector of their paper (2002), made binary: any grade above 0 is a gain of 1.

    G' = <3, 2, 3, 0, 0, 1, 2, 2, 3, 0>, with trec_eval's discount log2(rank + 1).
    """

    RANKS = (1, 2, 3, 6, 7, 8, 9)

    def test_ideal_order_is_one_up_to_the_number_of_gold_items(self) -> None:
        assert retrieval.ndcg(range(1, 8), 7) == 1
        assert all(retrieval.ndcg(range(1, 8), 7, k) == 1 for k in range(1, 20))

    @pytest.mark.parametrize(
        ("k", "right"), [(3, 1.0), (4, 0.8319), (5, 0.7227), (6, 0.7526), (7, 0.7753), (10, 0.9447)]
    )
    def test_ndcg(self, k: int, right: float) -> None:
        assert retrieval.ndcg(self.RANKS, 7, k) == pytest.approx(right, abs=5e-5)


@pytest.mark.parametrize("name", AT_K)
class TestAlways:
    @given(judged(), cutoffs)
    def test_between_0_and_1(self, name: str, case: Judged, k: int) -> None:
        assert 0 <= AT_K[name](*case, k) <= 1

    @given(judged(), cutoffs)
    def test_a_relevant_item_at_the_top_never_lowers(self, name: str, case: Judged, k: int) -> None:
        hits, gold = case
        gold = max(gold, sum(hits) + 1)
        assert AT_K[name]([True, *hits], gold, k) >= AT_K[name](hits, gold, k) - 1e-12

    @given(judged(), cutoffs)
    def test_an_irrelevant_item_at_the_top_never_raises(
        self, name: str, case: Judged, k: int
    ) -> None:
        hits, gold = case
        assert AT_K[name]([False, *hits], gold, k) <= AT_K[name](hits, gold, k) + 1e-12

    @given(judged(), cutoffs)
    def test_what_follows_rank_k_does_not_matter(self, name: str, case: Judged, k: int) -> None:
        hits, gold = case
        assert AT_K[name](hits, gold, k) == AT_K[name](hits[:k], gold, k)

    @given(st.integers(0, 20), st.integers(1, 9), cutoffs)
    def test_nothing_relevant_is_0(self, name: str, returned: int, gold: int, k: int) -> None:
        assert AT_K[name]([False] * returned, gold, k) == 0


class TestTogether:
    @given(judged(), cutoffs)
    def test_recall_never_falls_with_k(self, case: Judged, k: int) -> None:
        assert recall_at(*case, k) <= recall_at(*case, k + 1)

    @given(judged(), cutoffs)
    def test_hit_is_any_recall(self, case: Judged, k: int) -> None:
        assert AT_K["hit"](*case, k) == (recall_at(*case, k) > 0)

    @given(judged(), cutoffs)
    def test_precision_and_recall_count_the_same_items(self, case: Judged, k: int) -> None:
        hits, gold = case
        assert AT_K["precision"](hits, gold, k) * k == pytest.approx(
            recall_at(hits, gold, k) * gold
        )

    @given(judged(), cutoffs)
    def test_one_gold_item_makes_map_the_reciprocal_rank(self, case: Judged, k: int) -> None:
        hits = [hit and not any(case[0][:at]) for at, hit in enumerate(case[0])]
        assert AT_K["map"](hits, 1, k) == pytest.approx(AT_K["mrr"](hits, 1, k))

    @given(judged(), cutoffs)
    def test_average_precision_is_the_naive_one(self, case: Judged, k: int) -> None:
        assert AT_K["map"](*case, k) == pytest.approx(naive_average_precision(*case, k))

    @given(judged(), cutoffs)
    def test_ndcg_is_the_naive_one(self, case: Judged, k: int) -> None:
        assert AT_K["ndcg"](*case, k) == pytest.approx(naive_ndcg(*case, k))

    @given(judged())
    def test_without_a_cutoff_all_ranks_count(self, case: Judged) -> None:
        hits, gold = case
        at, k = ranks(hits), len(hits) + gold
        assert retrieval.reciprocal_rank(at) == retrieval.reciprocal_rank(at, k)
        assert retrieval.average_precision(at, gold) == retrieval.average_precision(at, gold, k)
        assert retrieval.ndcg(at, gold) == retrieval.ndcg(at, gold, k)
