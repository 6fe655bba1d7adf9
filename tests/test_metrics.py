"""Names of metrics: one spelling everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.errors import ConfigError
from ragproof.metrics import MAX_K, METRICS, Cutoff, MetricRef, parse_metric
from ragproof.selector import Selector

slices = st.none() | st.lists(
    st.tuples(st.sampled_from(["tag", "id", "language"]), st.text("abc é-", min_size=1)).filter(
        lambda pair: pair[1] == pair[1].strip() and pair[1] != ""
    ),
    min_size=1,
    max_size=3,
).map(lambda pairs: Selector(tuple(pairs)))


@st.composite
def refs(draw: st.DrawFn) -> MetricRef:
    metric = draw(st.sampled_from(list(METRICS.values())))
    cutoffs = {
        Cutoff.REQUIRED: st.integers(1, MAX_K),
        Cutoff.OPTIONAL: st.none() | st.integers(1, MAX_K),
        Cutoff.NONE: st.none(),
    }
    return MetricRef(metric, draw(cutoffs[metric.cutoff]), draw(slices))


@given(refs())
def test_what_is_written_is_read_back(ref: MetricRef) -> None:
    assert parse_metric(str(ref)) == ref
    assert parse_metric(ref.column) == ref._replace(slice=None)


def test_a_slice() -> None:
    ref = parse_metric("retrieval.recall@10[tag=billing,kind=qa]")
    assert ref.metric is METRICS["retrieval.recall"]
    assert ref.k == 10
    assert ref.slice == Selector((("tag", "billing"), ("kind", "qa")))
    assert ref.column == "retrieval.recall@10"
    assert str(ref) == "retrieval.recall@10[tag=billing,kind=qa]"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("retrieval.recal@10", "there is no metric", "did you mean retrieval.recall@10?"),
        ("retrieval.recal@7[tag=x]", "there is no metric", "did you mean retrieval.recall@7?"),
        ("retrieval.recal", "there is no metric", "did you mean retrieval.recall@10?"),
        ("retreival.mrr", "there is no metric", "did you mean retrieval.mrr?"),
        ("retreival.mrr@5", "there is no metric", "did you mean retrieval.mrr@5?"),
        ("recall@5", "is not the name", "did you mean retrieval.recall@5?"),
        ("precision", "is not the name", "did you mean retrieval.precision@10?"),
        ("faithfulness", "is not the name", "the metrics are "),
        ("Retrieval.Recall@5", "is not the name", "?"),
        ("latency.p59", "there is no metric", "did you mean latency.p95?"),
        ("latency.p95@3", "takes no cut-off", "write latency.p95"),
        ("retrieval.recall", "needs a cut-off", "write retrieval.recall@10"),
        ("retrieval.recall@", "is not the name", "did you mean retrieval.recall@10?"),
        ("retrieval.recall@0", "not a number from 1 to 1000", "write retrieval.recall@10"),
        ("retrieval.recall@010", "not a number from 1 to 1000", "write retrieval.recall@10"),
        ("retrieval.recall@1001", "not a number from 1 to 1000", "write retrieval.recall@10"),
        ("retrieval.recall@9999999", "is not the name", "did you mean retrieval.recall@10?"),
        ("retrieval.recall@-1", "is not the name", "did you mean retrieval.recall@10?"),
        ("retrieval.recall@٣", "is not the name", "did you mean retrieval.recall@10?"),
        ("retrieval.recall@5\n", "is not the name", "did you mean retrieval.recall@5?"),
        ("retrieval.recall@5[tag=x", "is not the name", "did you mean retrieval.recall@5?"),
        ("retrieval.recall@5[]", "cannot read ''", "write key=value pairs"),
        ("retrieval.recall@5[kind=q]", "there is no kind 'q'", "the kinds are"),
        ("retrieval.recall@5[tag=a][tag=b]", "is not the name", "did you mean"),
        ("", "is not the name", "the metrics are "),
    ],
)
def test_near_misses_name_the_nearest(text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parse_metric(text)
    assert hint in caught.value.hint


@given(st.text(max_size=30))
def test_any_text_is_a_metric_or_refused(text: str) -> None:
    try:
        ref = parse_metric(text)
    except ConfigError as error:
        assert error.hint  # noqa: PT017 - either is right
    else:
        assert ref.column.partition("@")[0] in METRICS


def test_every_definition_is_whole() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.title
        assert metric.kinds
        assert (metric.high is None) == name.startswith("latency.")
