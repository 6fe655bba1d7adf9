"""The verdict: nothing measured is never a pass, and a mean at its threshold is one."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.config.models import GateConfig
from ragproof.errors import ConfigError, ExitCode
from ragproof.gate import GateResult, Verdict, check_names, decide
from ragproof.metrics import parse_metric
from ragproof.records import Kind, Outcome
from ragproof.scoring.table import Labels, ScoreTable

METRIC = "retrieval.mrr"


def row(
    score: float | None = 1.0,
    outcome: Outcome = Outcome.PASS,
    kind: Kind = Kind.QA,
    tags: tuple[str, ...] = (),
) -> Mapping[str, Any]:
    return {"score": score, "outcome": outcome, "kind": kind, "tags": tags}


def table_of(*rows: Mapping[str, Any], chunks: bool = True) -> ScoreTable:
    labels = [Labels(f"c{n}", one["kind"], one["tags"], None) for n, one in enumerate(rows)]
    table = ScoreTable([METRIC], labels)
    for index, one in enumerate(rows):
        if one["outcome"] is not Outcome.ERROR:
            scores = {} if one["score"] is None else {METRIC: one["score"]}
            table.add(index, one["outcome"], scores, {}, 0.1)
            table.with_chunks += chunks
    return table


def gate(**fields: Any) -> GateConfig:
    defaults: dict[str, Any] = {"thresholds": {METRIC: {"min": 0.5}}}
    return GateConfig.model_validate(defaults | fields)


def judged(
    rules: GateConfig, *rows: Mapping[str, Any], complete: bool = True, chunks: bool = True
) -> GateResult:
    return decide(rules, table_of(*rows, chunks=chunks), complete=complete)


ERROR = row(None, Outcome.ERROR)


def test_pass_and_fail() -> None:
    good = judged(gate(), row())
    assert (good.verdict, good.exit_code, good.reasons) == (Verdict.PASS, ExitCode.PASS, ())
    bad = judged(gate(), row(0.4))
    assert (bad.verdict, bad.exit_code) == (Verdict.FAIL, ExitCode.FAIL)
    assert bad.reasons == ("retrieval.mrr is 0.4, below 0.5",)
    high = judged(gate(thresholds={METRIC: {"max": 0.5}}), row(0.6))
    assert high.reasons == ("retrieval.mrr is 0.6, above 0.5",)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=60), st.integers(-1, 1))
def test_the_decimal_mean_decides(points: list[int], offset: int) -> None:
    """Against exact arithmetic: at the threshold is a pass, one ten-thousandth below is none."""
    exact = Decimal(sum(points)) / len(points) / 10_000
    limit = round(exact, 4) + Decimal(offset) / 10_000
    if not 0 <= limit <= 1 or 0 < abs(exact - limit) < Decimal("1e-9"):
        return
    rows = [row(point / 10_000) for point in points]
    least = judged(gate(thresholds={METRIC: {"min": float(limit)}}), *rows)
    assert (least.verdict is Verdict.PASS) == (exact >= limit)
    most = judged(gate(thresholds={METRIC: {"max": float(limit)}}), *rows)
    assert (most.verdict is Verdict.PASS) == (exact <= limit)
    for result in (least, most):
        for reason in result.reasons:
            shown = Decimal(reason.split(" is ")[1].split(",")[0])
            assert shown != limit


@pytest.mark.parametrize(
    ("scores", "limit"),
    [
        ([0.1] * 10, 0.1),
        ([0.7, 0.1, 0.1], 0.3),
        ([0.1, 0.2], 0.15),
        ([1.0, 0.0, 0.0], 0.3333333333),
        ([1.0, 0.0, 0.0], 0.33333333333),
        ([1.0, 0.0, 0.0], 1 / 3),
        ([1.0, 1.0, 0.0], 2 / 3),
        ([0.95] * 77, 0.95),
    ],
)
def test_equality_passes_whatever_floating_point_does(scores: list[float], limit: float) -> None:
    rows = [row(score) for score in scores]
    bounds = {"min": limit, "max": limit} if limit * 3 != 1 else {"min": limit}
    assert judged(gate(thresholds={METRIC: bounds}), *rows).verdict is Verdict.PASS


def test_a_near_miss_shows_digits_enough() -> None:
    reason = judged(gate(thresholds={METRIC: {"min": 0.8}}), row(0.79999999)).reasons[0]
    assert reason == "retrieval.mrr is 0.79999999, below 0.8"


def test_coverage_comes_before_thresholds() -> None:
    result = judged(gate(), ERROR, row(0.0))
    assert (result.verdict, result.exit_code) == (Verdict.ERROR, ExitCode.ERROR)
    assert result.reasons == ("1 of 2 cases could not be asked: coverage 0.5 is below 0.95",)
    assert result.coverage == 0.5


def test_coverage_at_its_minimum_is_enough() -> None:
    rows = [ERROR] + [row()] * 19
    assert judged(gate(), *rows).verdict is Verdict.PASS
    assert judged(gate(min_coverage=0.951), *rows).verdict is Verdict.ERROR


def test_all_failed_is_an_error_even_without_minimum() -> None:
    for rules in (gate(min_coverage=0.0), GateConfig(min_coverage=0.0)):
        result = decide(rules, table_of(ERROR, ERROR), complete=True)
        assert result.exit_code == ExitCode.ERROR
        assert result.reasons == ("none of 2 cases could be asked",)


def test_no_case_at_all_is_an_error() -> None:
    assert judged(gate()).exit_code == ExitCode.ERROR


def test_an_incomplete_run_is_an_error() -> None:
    result = judged(gate(), row(), complete=False)
    assert result.exit_code == ExitCode.ERROR
    assert result.reasons[0].startswith("the run is incomplete")


def test_no_chunk_in_any_response_is_an_error() -> None:
    result = judged(gate(), row(0.0), row(0.0), chunks=False)
    assert result.exit_code == ExitCode.ERROR
    assert "no response held any chunk" in result.reasons[0]


def test_cases_without_sources_may_well_have_no_chunk() -> None:
    rules = gate(thresholds={"latency.p95": {"max": 1}})
    rows = [row(None, kind=Kind.UNANSWERABLE), row(None, kind=Kind.INJECTION)]
    assert judged(rules, *rows, chunks=False).verdict is Verdict.PASS
    assert judged(rules, *rows, row(None), chunks=False).verdict is Verdict.ERROR
    assert judged(rules, *rows * 20, ERROR, chunks=False).verdict is Verdict.PASS


def test_an_unmeasured_threshold_is_an_error() -> None:
    result = judged(gate(), row(None, Outcome.UNSCORED))
    assert result.exit_code == ExitCode.ERROR
    assert result.reasons == ("retrieval.mrr could not be measured: 0 of 1 cases are scored",)


def test_an_error_is_said_before_a_failure() -> None:
    rules = gate(thresholds={METRIC: {"min": 1}, f"{METRIC}[tag=x]": {"min": 0}})
    result = judged(rules, row(0.5), row(None, Outcome.UNSCORED, tags=("x",)))
    assert result.exit_code == ExitCode.ERROR
    assert [reason.split()[0] for reason in result.reasons] == [f"{METRIC}[tag=x]", METRIC]


def test_thresholds_on_slices() -> None:
    rules = gate(thresholds={f"{METRIC}[tag=x]": {"min": 0.5}})
    assert judged(rules, row(0.5, tags=("x",)), row(0.0)).verdict is Verdict.PASS
    assert judged(rules, row(0.4, tags=("x",)), row(1.0)).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("outcome", "code", "words"),
    [
        (Outcome.PASS, ExitCode.PASS, None),
        (Outcome.FAIL, ExitCode.FAIL, "required cases fail: c1"),
        (Outcome.ERROR, ExitCode.ERROR, "required cases could not be judged: c1"),
        (Outcome.UNSCORED, ExitCode.ERROR, "required cases could not be judged: c1"),
    ],
)
@pytest.mark.parametrize("required", [{"cases": ["c1"]}, {"tags": ["t"]}])
def test_required_cases(
    outcome: Outcome, code: ExitCode, words: str | None, required: dict[str, list[str]]
) -> None:
    rules = gate(thresholds={}, required=required, min_coverage=0.1)
    result = judged(rules, row(0.0, Outcome.FAIL), row(1.0, outcome, tags=("t",)))
    assert result.exit_code == code
    assert result.reasons == ((words,) if words else ())
    assert [one.case for one in result.required] == (["c1"] if words else [])


def test_many_required_cases_are_named_in_part() -> None:
    rules = gate(thresholds={}, required={"tags": ["t"]})
    rows = [row(0.0, Outcome.FAIL, tags=("t",))] * 8
    assert judged(rules, *rows).reasons == ("required cases fail: c0, c1, c2, c3, c4 and 3 more",)


def test_known_failures_are_told_when_they_pass() -> None:
    rules = gate(allow_failing=["c2", "c0", "c1", "c3"], min_coverage=0)
    rows = [row(), row(1.0, Outcome.FAIL), row(), ERROR]
    result = judged(rules, *rows)
    assert result.now_passing == ("c2", "c0")
    assert result.still_failing == ("c1",)


def test_no_gate_judges_nothing_but_what_could_not_be_judged() -> None:
    assert judged(GateConfig(), row(0.0, Outcome.FAIL)).verdict is Verdict.UNGATED
    assert judged(GateConfig(), row(0.0), chunks=False).verdict is Verdict.ERROR


def refused(rules: GateConfig, *rows: Mapping[str, Any], more: tuple[str, ...] = ()) -> list[str]:
    table = table_of(*rows)
    ids = [*(case.id for case in table.cases), *more]
    tags = {tag for case in table.cases for tag in case.tags}
    with pytest.raises(ConfigError) as caught:
        check_names(rules, table, ids, tags)
    assert caught.value.hint
    return caught.value.message.splitlines()


def test_names_that_are_not_there_are_refused_all_at_once() -> None:
    rules = gate(
        thresholds={
            "retrieval.map": {"min": 0},
            f"{METRIC}[tag=nope]": {"min": 0},
            f"{METRIC}[kind=injection]": {"min": 0},
        },
        required={"cases": ["x", "c0"], "tags": ["nope"]},
        allow_failing=["y"],
    )
    assert refused(rules, row()) == [
        "gate.required.cases: there is no case 'x'",
        "gate.allow_failing: there is no case 'y'",
        "gate.required.tags: no case has the tag 'nope'",
        "gate.thresholds: retrieval.map was not measured in this run",
        "gate.thresholds: retrieval.mrr[tag=nope] is about qa cases with tag=nope, and there is"
        " none",
        "gate.thresholds: retrieval.mrr[kind=injection] is about qa cases with kind=injection,"
        " and there is none",
    ]


def test_a_metric_of_a_kind_that_is_not_there() -> None:
    (line,) = refused(gate(), row(kind=Kind.INJECTION))
    assert line == "gate.thresholds: retrieval.mrr is about qa cases, and there is none"


def test_required_cases_that_are_not_selected_leave_nothing_to_gate() -> None:
    rules = gate(thresholds={}, required={"cases": ["elsewhere"]})
    (line,) = refused(rules, row(), more=("elsewhere",))
    assert line == "gate: none of the required cases is among the cases at hand"
    check_names(gate(required={"cases": ["elsewhere"]}), table_of(row()), ["elsewhere"], set())


def test_names_that_are_there() -> None:
    rules = gate(required={"cases": ["c0"], "tags": ["t"]}, allow_failing=["c1"])
    check_names(rules, table_of(row(tags=("t",)), row()), ["c0", "c1"], {"t"})
    check_names(GateConfig(), table_of(row()), [], set())
    assert parse_metric(METRIC).metric.kinds == {Kind.QA}
