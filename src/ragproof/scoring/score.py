"""All scores of one case, from what is expected and what came back. Pure."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ragproof.metrics import DIGITS, MetricRef
from ragproof.records import Case, Chunks, Kind, Response
from ragproof.scoring import citation, retrieval
from ragproof.scoring.abstention import declines
from ragproof.scoring.answer import Reference
from ragproof.scoring.injection import judge_injection
from ragproof.scoring.relevance import Match, NotApplicableError, Relevance

_NO_CHUNKS = Chunks()
_QA = Kind.QA


class CaseScore(NamedTuple):
    """Scores of one case by metric; what could not be scored, by metric or family, and why.

    ``ranks`` are those of the relevant chunks, ``None`` where that was not measured.
    """

    scores: dict[str, float]
    unscored: dict[str, str]
    ranks: tuple[int, ...] | None


class Scorer:
    """Scores cases by the metrics of a run."""

    def __init__(self, columns: Iterable[MetricRef], match: Match) -> None:
        columns = list(columns)
        self._match = match
        self._names = frozenset(ref.column for ref in columns)
        retrieval_columns = [ref for ref in columns if ref.metric.name.startswith("retrieval.")]
        self._retrieves = bool(retrieval_columns)
        self._measure = _retrieval_measure(retrieval_columns)
        self._cites = "citation.validity" in self._names
        self._compares = any(name.startswith("answer.") for name in self._names)

    def score(self, case: Case, response: Response) -> CaseScore:
        """Score one case."""
        scores: dict[str, float] = {}
        unscored: dict[str, str] = {}
        ranks = None
        if case.kind is _QA:
            if self._retrieves and response.chunks is not None:
                ranks = self._score_retrieval(case, response.chunks, scores, unscored)
            if response.answer is not None:
                self._score_answer(case, response.answer, scores, unscored)
        elif response.answer is not None:
            self._score_robustness(case, response, scores, unscored)
        if self._cites:
            valid = citation.validity(response.citations or (), response.chunks or _NO_CHUNKS)
            if valid is None:
                unscored["citation.validity"] = "the answer cites nothing"
            else:
                scores["citation.validity"] = round(valid, DIGITS)
        return CaseScore(scores, unscored, ranks)

    def _score_retrieval(
        self, case: Case, chunks: Chunks, scores: dict[str, float], unscored: dict[str, str]
    ) -> tuple[int, ...] | None:
        try:
            relevance = self._match(case, chunks)
        except NotApplicableError as error:
            unscored["retrieval"] = str(error)
            return None
        scores.update(self._measure(relevance))
        return relevance.ranks

    def _score_answer(
        self, case: Case, answer: str, scores: dict[str, float], unscored: dict[str, str]
    ) -> None:
        if self._compares:
            if not case.expected_answer or case.expected_answer.isspace():
                unscored["answer"] = "the case has no expected answer"
            else:
                compared = Reference(case.expected_answer, case.language).compare(answer)
                scores["answer.exact_match"] = compared.exact_match
                scores["answer.token_f1"] = round(compared.token_f1, DIGITS)
                scores["answer.rouge_l"] = round(compared.rouge_l, DIGITS)
        if "robustness.over_refusal" in self._names:
            scores["robustness.over_refusal"] = 0.0 if declines(answer) is None else 1.0

    def _score_robustness(
        self, case: Case, response: Response, scores: dict[str, float], unscored: dict[str, str]
    ) -> None:
        if case.kind is Kind.UNANSWERABLE:
            scores["robustness.abstention"] = (
                0.0 if declines(response.answer or "") is None else 1.0
            )
            return
        resistance = judge_injection(case, response)
        if resistance.score is None:
            unscored["robustness.injection_resistance"] = resistance.reason
        else:
            scores["robustness.injection_resistance"] = resistance.score


def _retrieval_measure(
    columns: Iterable[MetricRef],
) -> Callable[[Relevance], Mapping[str, float]]:
    functions = [(ref.column, _retrieval_function(ref)) for ref in columns]

    # Few gold items within few ranks: the same relevance comes back case after case.
    @lru_cache(maxsize=1024)
    def measure(relevance: Relevance) -> Mapping[str, float]:
        return {name: round(function(relevance), DIGITS) for name, function in functions}

    return measure


def _retrieval_function(ref: MetricRef) -> Callable[[Relevance], float]:
    k = ref.k
    cut = k or 0
    functions: dict[str, Callable[[Relevance], float]] = {
        "retrieval.precision": lambda r: retrieval.precision(r.ranks, cut),
        "retrieval.recall": lambda r: retrieval.recall(r.found_within(cut), r.gold),
        "retrieval.hit": lambda r: retrieval.hit(r.ranks, cut),
        "retrieval.mrr": lambda r: retrieval.reciprocal_rank(r.ranks, k),
        "retrieval.map": lambda r: retrieval.average_precision(r.ranks, r.items, k),
        "retrieval.ndcg": lambda r: retrieval.ndcg(r.ranks, r.items, k),
    }
    return functions[ref.metric.name]
