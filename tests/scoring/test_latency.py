"""Latency: nearest-rank percentiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.scoring.latency import aggregate, percentile

some = st.lists(st.floats(0, 1e6), min_size=1, max_size=200).map(sorted)


@pytest.mark.parametrize(
    ("values", "share", "right"),
    [
        ([15, 20, 35, 40, 50], 0.05, 15),
        ([15, 20, 35, 40, 50], 0.3, 20),
        ([15, 20, 35, 40, 50], 0.4, 20),
        ([15, 20, 35, 40, 50], 0.5, 35),
        ([15, 20, 35, 40, 50], 1.0, 50),
        ([1, 2, 3, 4], 0.5, 2),
        ([7], 0.0, 7),
        ([7], 0.95, 7),
    ],
)
def test_nearest_rank(values: list[float], share: float, right: float) -> None:
    assert percentile(values, share) == right


@given(some, st.floats(0, 1))
def test_is_one_of_the_values_with_its_share_at_or_below(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
    assert sum(value < found for value in values) <= share * len(values)


@given(st.integers(1, 5000))
def test_p50_and_p95_are_exact_ranks(size: int) -> None:
    values = range(1, size + 1)
    assert aggregate(values, "p50") == -(-size // 2)
    assert aggregate(values, "p95") == -(-95 * size // 100)


@given(some)
def test_aggregates_rise(values: list[float]) -> None:
    assert aggregate(values, "p50") <= aggregate(values, "p95") <= aggregate(values, "max")
    assert aggregate(values, "max") == max(values)
