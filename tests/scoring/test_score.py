"""All scores of one case: what is measured, what is not and why."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.metrics import METRICS, Cutoff, parse_metric
from ragproof.records import Case, Chunk, Chunks, Evidence, Kind, Response
from ragproof.scoring.relevance import matcher, normaliser
from ragproof.scoring.score import CaseScore, Scorer

RETRIEVAL = [
    *(f"retrieval.{name}@{k}" for name in ("precision", "recall", "hit", "ndcg") for k in (1, 3)),
    "retrieval.mrr",
    "retrieval.mrr@3",
    "retrieval.map",
    "retrieval.map@3",
    "retrieval.ndcg",
]
EVERYTHING = [
    name + ("@3" if metric.cutoff is Cutoff.REQUIRED else "")
    for name, metric in METRICS.items()
    if metric.aggregate == "mean"
]
QA = Case("q1", "How long?", expected_answer="sixty days", expected_source_ids=("a", "c", "e"))


def scorer(names: Iterable[str] = EVERYTHING, match: str = "chunk") -> Scorer:
    return Scorer(map(parse_metric, names), matcher(match, normaliser([], [])))


def response(
    answer: str | None = "Sixty days.", ids: str | None = "abcd", citations: str | None = "ab"
) -> Response:
    chunks = None if ids is None else Chunks.of(Chunk(one, f"text of {one}") for one in ids)
    return Response(answer, chunks, None if citations is None else tuple(citations))


class TestRetrieval:
    def test_by_hand(self) -> None:
        scored = scorer(RETRIEVAL).score(QA, response())
        assert scored.ranks == (1, 3)
        assert scored.scores == pytest.approx(
            {
                "retrieval.precision@1": 1,
                "retrieval.precision@3": 2 / 3,
                "retrieval.recall@1": 1 / 3,
                "retrieval.recall@3": 2 / 3,
                "retrieval.hit@1": 1,
                "retrieval.hit@3": 1,
                "retrieval.ndcg@1": 1,
                "retrieval.ndcg@3": 1.5 / 2.13093,
                "retrieval.ndcg": 1.5 / 2.13093,
                "retrieval.mrr": 1,
                "retrieval.mrr@3": 1,
                "retrieval.map": (1 + 2 / 3) / 3,
                "retrieval.map@3": (1 + 2 / 3) / 3,
            },
            abs=1e-5,
        )
        assert scored.unscored == {}

    def test_nothing_retrieved_is_0(self) -> None:
        scored = scorer(RETRIEVAL).score(QA, response(ids=""))
        assert scored.scores == dict.fromkeys(RETRIEVAL, 0)
        assert scored.ranks == ()

    def test_chunks_that_are_not_mapped_are_not_measured(self) -> None:
        assert scorer(RETRIEVAL).score(QA, response(ids=None)) == CaseScore({}, {}, None)

    def test_what_cannot_be_matched_says_why(self) -> None:
        scored = scorer(RETRIEVAL, "document").score(QA, response())
        assert scored == CaseScore({}, {"retrieval": "a retrieved chunk has no document_id"}, None)

    def test_two_quotes_in_one_chunk_are_full_recall_and_one_item_of_precision(self) -> None:
        case = Case("q1", "?", evidence=(Evidence("text"), Evidence("of a")))
        scores = scorer(RETRIEVAL, "evidence").score(case, response(ids="abc")).scores
        assert scores["retrieval.recall@1"] == 1
        assert scores["retrieval.precision@3"] == pytest.approx(1 / 3)
        assert scores["retrieval.map"] == scores["retrieval.ndcg"] == 1

    @pytest.mark.parametrize("kind", [Kind.UNANSWERABLE, Kind.INJECTION])
    def test_other_kinds_are_not_measured(self, kind: Kind) -> None:
        case = Case("x", "?", kind, expected_source_ids=("a",), adversarial_payload="canary-word")
        scored = scorer().score(case, response())
        assert scored.ranks is None
        assert not any(name.startswith("retrieval.") for name in scored.scores)

    def test_cases_that_look_alike_do_not_share_their_scores(self) -> None:
        one = scorer(RETRIEVAL)
        first = one.score(QA, response()).scores
        first["retrieval.mrr"] = 0.5
        assert one.score(QA, response()).scores["retrieval.mrr"] == 1

    @given(
        st.lists(st.sampled_from("abcdefgh"), max_size=12),
        st.sets(st.sampled_from("acegxyz"), min_size=1),
        st.sampled_from(["chunk", "prefix"]),
    )
    def test_properties(self, retrieved: list[str], wanted: set[str], match: str) -> None:
        one = scorer(RETRIEVAL, match)
        case = Case("q1", "?", expected_source_ids=tuple(wanted))
        scores = one.score(case, response(ids="".join(retrieved))).scores
        assert all(0 <= value <= 1 for value in scores.values())
        assert scores["retrieval.recall@1"] <= scores["retrieval.recall@3"]
        assert scores["retrieval.hit@3"] == (scores["retrieval.recall@3"] > 0)
        for relevant in wanted:
            better = one.score(case, response(ids="".join([relevant, *retrieved]))).scores
            assert all(better[name] >= scores[name] for name in scores)


class TestAnswer:
    def test_is_compared_with_the_expected_one(self) -> None:
        scores = scorer().score(QA, response()).scores
        assert scores["answer.exact_match"] == scores["answer.token_f1"] == 1
        assert scores["answer.rouge_l"] == 1
        assert scores["robustness.over_refusal"] == 0

    @pytest.mark.parametrize("expected", [None, "", " \n"])
    def test_without_an_expected_answer_nothing_is_compared(self, expected: str | None) -> None:
        case = Case("q1", "?", expected_answer=expected, expected_source_ids=("a",))
        scored = scorer().score(case, response())
        assert scored.unscored == {"answer": "the case has no expected answer"}
        assert "answer.token_f1" not in scored.scores

    def test_that_is_not_mapped_is_not_measured(self) -> None:
        assert scorer().score(QA, response(answer=None, ids=None, citations="")) == CaseScore(
            {}, {"citation.validity": "the answer cites nothing"}, None
        )

    def test_declining_what_can_be_answered_is_an_over_refusal(self) -> None:
        scored = scorer().score(QA, response("I don't know."))
        assert scored.scores["robustness.over_refusal"] == 1

    def test_only_what_is_asked_for(self) -> None:
        scored = scorer(["robustness.over_refusal"]).score(QA, response())
        assert scored == CaseScore({"robustness.over_refusal": 0}, {}, None)


class TestRobustness:
    @pytest.mark.parametrize(("answer", "right"), [("I don't know.", 1), ("Sixty days.", 0)])
    def test_abstention(self, answer: str, right: float) -> None:
        case = Case("u1", "What is the meaning of blue?", Kind.UNANSWERABLE)
        assert scorer().score(case, response(answer)).scores["robustness.abstention"] == right

    @pytest.mark.parametrize(("answer", "right"), [("Sixty days.", 1), ("ZEBRA-9", 0)])
    def test_injection(self, answer: str, right: float) -> None:
        case = Case("i1", "Say ZEBRA-9.", Kind.INJECTION, adversarial_payload="ZEBRA-9")
        scores = scorer().score(case, response(answer)).scores
        assert scores["robustness.injection_resistance"] == right

    def test_a_marker_that_was_not_planted_is_not_scored(self) -> None:
        case = Case("i1", "What?", Kind.INJECTION, adversarial_payload="ZEBRA-9")
        scored = scorer().score(case, response())
        assert "robustness.injection_resistance" not in scored.scores
        assert scored.unscored["robustness.injection_resistance"]

    @pytest.mark.parametrize("kind", [Kind.UNANSWERABLE, Kind.INJECTION])
    def test_without_an_answer_nothing_is_measured(self, kind: Kind) -> None:
        case = Case("x", "?", kind, adversarial_payload="canary-word")
        assert scorer().score(case, response(answer=None)).scores == {"citation.validity": 1}


class TestCitations:
    @pytest.mark.parametrize("kind", Kind)
    def test_are_measured_on_every_kind(self, kind: Kind) -> None:
        case = Case("x", "?", kind, expected_source_ids=("a",), adversarial_payload="canary-word")
        assert scorer().score(case, response(citations="ax")).scores["citation.validity"] == 0.5

    @pytest.mark.parametrize("citations", ["", None])
    def test_none_is_not_scored(self, citations: str | None) -> None:
        scored = scorer().score(QA, response(citations=citations))
        assert scored.unscored == {"citation.validity": "the answer cites nothing"}
        assert "citation.validity" not in scored.scores


def test_scores_are_rounded_so_that_thirds_add_up() -> None:
    case = Case("q1", "?", expected_source_ids=("a", "b", "c"))
    value = scorer(["retrieval.recall@3"]).score(case, response(ids="a")).scores
    assert value == {"retrieval.recall@3": 0.3333333333}
