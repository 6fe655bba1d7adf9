"""Scores as columns, and their summaries."""

import sys
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.metrics import parse_metric
from ragproof.records import Kind, Outcome
from ragproof.scoring.table import Labels, ScoreTable


def labels(index: int, kind: Kind = Kind.QA, *tags: str) -> Labels:
    return Labels(str(index), kind, tags, None)


def test_a_case_that_was_never_added_is_an_error() -> None:
    table = ScoreTable(["retrieval.mrr"], [labels(0), labels(1)])
    table.add(1, Outcome.PASS, {"retrieval.mrr": 1.0}, {}, 0.5)
    assert table.outcome(0) is Outcome.ERROR
    assert table.count(Outcome.ERROR) == 1
    summary = table.summary(parse_metric("retrieval.mrr"))
    assert (summary.value, summary.scored, summary.of, summary.errors) == (1.0, 1, 2, 1)


def test_what_was_not_scored_is_no_number() -> None:
    table = ScoreTable(["retrieval.mrr"], [labels(0)])
    table.add(0, Outcome.UNSCORED, {}, {"retrieval": "no gold"}, None)
    summary = table.summary(parse_metric("retrieval.mrr"))
    assert summary.value is None
    assert summary.unscored == {"no gold": 1}
    assert table.summary(parse_metric("latency.p95")).value is None


def test_slices_and_kinds() -> None:
    cases = [labels(0, Kind.QA, "x"), labels(1, Kind.QA, "y"), labels(2, Kind.INJECTION, "x")]
    table = ScoreTable(["retrieval.mrr"], cases)
    for index, value in enumerate((0.25, 0.75, 1.0)):
        table.add(index, Outcome.PASS, {"retrieval.mrr": value}, {}, float(index))
    assert table.summary(parse_metric("retrieval.mrr")).value == 0.5
    assert table.summary(parse_metric("retrieval.mrr[tag=x]")).value == 0.25
    assert table.summary(parse_metric("retrieval.mrr[tag=z]")).of == 0
    assert table.summary(parse_metric("latency.max[tag=x]")).value == 2.0
    assert table.applies_to(parse_metric("retrieval.mrr")) == 2
    assert table.applies_to(parse_metric("retrieval.mrr[tag=z]")) == 0
    assert table.measures(parse_metric("latency.p50"))
    assert not table.measures(parse_metric("retrieval.map"))


def test_reasons_most_frequent_first() -> None:
    table = ScoreTable(["citation.validity"], [labels(index) for index in range(5)])
    for index, reason in enumerate(["b", "a", "c", "a", "b"]):
        table.add(index, Outcome.UNSCORED, {}, {"citation.validity": reason}, None)
    reasons = table.summary(parse_metric("citation.validity")).unscored
    assert list(reasons.items()) == [("a", 2), ("b", 2), ("c", 1)]


def test_the_order_of_adding_does_not_matter() -> None:
    scores = [0.1, 0.2, 0.3, 1e-10, 0.7]
    means = set()
    for order in permutations(range(5)):
        table = ScoreTable(["retrieval.mrr"], [labels(index) for index in range(5)])
        for index in order:
            table.add(index, Outcome.PASS, {"retrieval.mrr": scores[index]}, {}, None)
        means.add(table.summary(parse_metric("retrieval.mrr")).value)
    assert len(means) == 1


@given(st.integers(0, 1000), st.integers(1, 200))
def test_the_mean_of_equal_decimals_is_that_decimal(thousandths: int, count: int) -> None:
    value = thousandths / 1000
    table = ScoreTable(["retrieval.mrr"], [labels(index) for index in range(count)])
    for index in range(count):
        table.add(index, Outcome.PASS, {"retrieval.mrr": value}, {}, None)
    assert table.summary(parse_metric("retrieval.mrr")).value == value


@pytest.mark.parametrize("columns", [20])
def test_a_score_takes_a_few_bytes(columns: int) -> None:
    size = 10_000
    cases = [labels(0)] * size
    table = ScoreTable([f"retrieval.recall@{k}" for k in range(1, columns + 1)], cases)
    held = sum(map(sys.getsizeof, table._values.values()))
    assert held / size / columns < 10


def test_scores_that_nobody_asked_for_are_left_out() -> None:
    table = ScoreTable(["retrieval.mrr"], [labels(0)])
    table.add(0, Outcome.PASS, {"retrieval.map": 1.0}, {}, None)
    assert list(table.columns) == ["retrieval.mrr"]
