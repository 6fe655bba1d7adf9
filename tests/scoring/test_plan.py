"""What a run measures, and when a case passes."""

from typing import Any

import pytest

from ragproof.config.models import Bounds, Config
from ragproof.errors import ConfigError
from ragproof.records import Kind, Outcome
from ragproof.scoring.plan import Mapped, apart, judge, largest_k, make_plan

ALL = Mapped(answer=True, chunks=True, citations=True)
NONE = Mapped(answer=False, chunks=False, citations=False)


def names(config: Config, mapped: Mapped = ALL) -> list[str]:
    return [str(ref) for ref in make_plan(config, mapped).columns]


def test_the_usual_metrics_in_a_fixed_order() -> None:
    assert names(Config(k=[5, 1])) == [
        "retrieval.precision@1",
        "retrieval.precision@5",
        "retrieval.recall@1",
        "retrieval.recall@5",
        "retrieval.hit@1",
        "retrieval.hit@5",
        "retrieval.ndcg@1",
        "retrieval.ndcg@5",
        "retrieval.mrr",
        "retrieval.map",
        "citation.validity",
        "answer.exact_match",
        "answer.token_f1",
        "answer.rouge_l",
        "robustness.abstention",
        "robustness.over_refusal",
        "robustness.injection_resistance",
        "latency.p50",
        "latency.p95",
        "latency.max",
    ]


def test_what_is_not_mapped_is_not_measured() -> None:
    assert names(Config(), NONE) == ["latency.p50", "latency.p95", "latency.max"]
    assert not any(
        name.startswith("citation") for name in names(Config(), Mapped(True, False, True))
    )


def config(**gate: Any) -> Config:
    return Config.model_validate({"k": 5, "gate": gate})


def test_named_metrics_are_measured_once_without_their_slice() -> None:
    made = config(
        thresholds={
            "retrieval.map@3": {"min": 0},
            "retrieval.map@3[tag=x]": {"min": 0},
            "retrieval.recall@50": {"min": 0},
        }
    )
    found = names(made)
    assert found.count("retrieval.map@3") == 1
    assert largest_k(make_plan(made, ALL)) == 50
    assert largest_k(make_plan(Config(), NONE)) == 10


@pytest.mark.parametrize(
    "settings",
    [
        {"gate": {"thresholds": {"answer.token_f1": {"min": 0.5}}}},
        {"metrics": ["answer.token_f1"]},
        {"case_pass": {"qa": {"answer.token_f1": {"min": 0.5}}}},
    ],
)
def test_a_named_metric_that_cannot_be_measured_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="needs answer, which the response mapping does not give"):
        make_plan(Config.model_validate(settings), Mapped(False, True, False))


def test_rules_by_default_and_by_config() -> None:
    rules = make_plan(Config(k=[1, 7]), ALL).rules
    assert set(rules[Kind.QA]) == {"retrieval.hit@7", "robustness.over_refusal"}
    own = Config.model_validate({"case_pass": {"qa": {"retrieval.mrr": {"min": 0.5}}}})
    rules = make_plan(own, ALL).rules
    assert rules[Kind.QA] == {"retrieval.mrr": Bounds(min=0.5)}
    assert set(rules[Kind.INJECTION]) == {"robustness.injection_resistance"}
    assert all(not bounds for bounds in make_plan(Config(), NONE).rules.values())


RULES = {"retrieval.hit@5": Bounds(min=1.0), "robustness.over_refusal": Bounds(max=0.0)}


@pytest.mark.parametrize(
    ("scores", "unscored", "outcome", "reasons"),
    [
        ({"retrieval.hit@5": 1.0, "robustness.over_refusal": 0.0}, {}, Outcome.PASS, []),
        (
            {"retrieval.hit@5": 0.0, "robustness.over_refusal": 1.0},
            {},
            Outcome.FAIL,
            [
                "retrieval.hit@5 is 0, at least 1 is needed",
                "robustness.over_refusal is 1, at most 0 is allowed",
            ],
        ),
        (
            {"retrieval.hit@5": 0.0},
            {"robustness.over_refusal": "x"},
            Outcome.FAIL,
            ["retrieval.hit@5 is 0, at least 1 is needed"],
        ),
        (
            {"robustness.over_refusal": 0.0},
            {"retrieval": "no gold"},
            Outcome.UNSCORED,
            ["retrieval.hit@5 is not scored: no gold"],
        ),
        (
            {},
            {},
            Outcome.UNSCORED,
            [
                "retrieval.hit@5 is not scored: not measured",
                "robustness.over_refusal is not scored: not measured",
            ],
        ),
    ],
)
def test_judging_a_case(
    scores: dict[str, float], unscored: dict[str, str], outcome: Outcome, reasons: list[str]
) -> None:
    assert judge(RULES, scores, unscored) == (outcome, reasons)


def test_a_case_that_nothing_decides_about_does_not_pass() -> None:
    outcome, reasons = judge({}, {"retrieval.mrr": 1.0}, {})
    assert outcome is Outcome.UNSCORED
    assert reasons


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (0.0, 0.5, "0"),
        (1.0, 0.0, "1"),
        (0.25, 0.5, "0.25"),
        (0.12345, 0.5, "0.1235"),
        (0.79996, 0.8, "0.79996"),
        (0.7999999999, 0.8, "0.7999999999"),
        (0.33333, 1 / 3, "0.3333"),
        (12.34567, 12.3457, "12.34567"),
    ],
)
def test_a_value_is_told_apart_from_its_limit(value: float, limit: float, text: str) -> None:
    assert apart(value, limit) == text


def test_a_near_miss_of_a_case_is_shown_as_one() -> None:
    _, (reason,) = judge({"answer.token_f1": Bounds(min=1.0)}, {"answer.token_f1": 0.99996}, {})
    assert reason == "answer.token_f1 is 0.99996, at least 1 is needed"
