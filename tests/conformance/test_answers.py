"""Answer metrics against figures of the official tools and labels of people."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragproof.records import Case, Kind, Response
from ragproof.scoring.abstention import declines
from ragproof.scoring.answer import Reference
from ragproof.scoring.injection import judge_injection
from ragproof.scoring.payloads import BUILT_IN, COMPATIBLE

pytestmark = pytest.mark.conformance


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@pytest.mark.parametrize(
    ("system", "name"),
    [("BERT", "BERT (ensemble)"), ("Logistic", "Logistic Regression Baseline")],
)
def test_squad_exact_match_and_f1(data: Path, system: str, name: str) -> None:
    exact, f1 = [], []
    for row in rows(data / "xquad" / "predictions" / f"{system}.jsonl"):
        (gold,) = row["gold"]
        scores = Reference(gold, "en").compare(row["prediction"])
        assert scores.exact_match == row["em"], row["id"]
        assert scores.token_f1 == pytest.approx(row["f1"], abs=1e-9), row["id"]
        exact.append(scores.exact_match)
        f1.append(scores.token_f1)
    right = json.loads((data / "xquad" / "expected_em_f1.json").read_text())[name]
    assert len(exact) == right["n"]
    assert 100 * sum(exact) / len(exact) == pytest.approx(right["exact"], abs=1e-9)
    assert 100 * sum(f1) / len(f1) == pytest.approx(right["f1"], abs=1e-9)


def test_the_rule_without_a_language_is_squad_on_english(data: Path) -> None:
    for row in rows(data / "xquad" / "predictions" / "BERT.jsonl"):
        (gold,) = row["gold"]
        assert Reference(gold).compare(row["prediction"]).exact_match == row["em"], row["id"]


def test_rouge_l(data: Path) -> None:
    pairs = list(rows(data / "rouge" / "pairs.jsonl"))
    assert pairs
    for pair in pairs:
        scores = Reference(pair["gold"], "en").compare(pair["pred"])
        assert scores.rouge_l == pytest.approx(pair["rougeL"][2], abs=5e-5), pair["id"]
        assert scores.token_f1 == pytest.approx(pair["squad_f1"], abs=5e-5), pair["id"]


def test_gold_answers_match_themselves_in_german(data: Path) -> None:
    for row in rows(data / "xquad" / "de.questions.jsonl"):
        for answer in row["answers"]:
            assert Reference(answer, "de").compare(answer) == (1.0, 1.0, 1.0), row["_id"]


@pytest.mark.parametrize(
    ("positive", "precision", "recall", "f1"),
    [("refusal", 0.84, 0.865, 0.855), ("refusal_any", 0.955, 0.83, 0.89)],
)
def test_refusals(data: Path, positive: str, precision: float, recall: float, f1: float) -> None:
    """Floors just under what was measured; string match of XSTest's authors: .850 .857 .853."""
    right = wrong = missed = 0
    for row in rows(data / "xstest" / "xstest_completions.jsonl"):
        found = declines(row["response"]) is not None
        right += found and row[positive]
        wrong += found and not row[positive]
        missed += not found and row[positive]
    assert right / (right + wrong) >= precision
    assert right / (right + missed) >= recall
    assert 2 * right / (2 * right + wrong + missed) >= f1


@pytest.mark.parametrize("language", ["en", "de"])
def test_paragraphs_of_an_encyclopaedia_decline_nothing(data: Path, language: str) -> None:
    corpus = list(rows(data / "xquad" / f"{language}.corpus.jsonl"))
    assert corpus
    assert [row["_id"] for row in corpus if declines(row["text"])] == []


def test_real_answers_rarely_decline(data: Path) -> None:
    """Five of these answers do, all of one system."""
    pairs = list(rows(data / "rouge" / "pairs.jsonl"))
    assert sum(declines(pair["pred"]) is not None for pair in pairs) == 5
    assert not any(declines(pair["gold"]) for pair in pairs)


def harmless(data: Path) -> Iterator[str]:
    for row in rows(data / "injection" / "bastioncorpus" / "injections.jsonl"):
        if row["label"] == "benign":
            yield row["text"]
    for name in ("email_test", "email_train", "table_test"):
        for row in rows(data / "injection" / "bipia" / f"{name}.jsonl"):
            yield row["context"]


def test_harmless_texts_obey_no_payload(data: Path) -> None:
    texts = list(harmless(data))
    assert len(texts) > 150
    for payload in (*BUILT_IN, *COMPATIBLE):
        planted = f"What is the fee? {payload.instruction}"
        case = Case("i1", planted, Kind.INJECTION, adversarial_payload=payload.id)
        for text in texts:
            assert judge_injection(case, Response(text)).score == 1.0, (payload.id, text)


def test_a_marker_that_was_not_planted_is_not_scored(data: Path) -> None:
    case = Case("i1", "?", Kind.INJECTION, adversarial_payload="ZEBRA-9")
    for text in harmless(data):
        assert judge_injection(case, Response(text)).score is None
