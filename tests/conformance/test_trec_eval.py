"""Retrieval metrics against trec_eval: its own expected output, and what pytrec_eval computes.

Reading runs as trec_eval does is the business of this file: the rank column is ignored,
scores are 32-bit floats in falling order, equal ones stand in falling order of document.
"""

import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.metrics import METRICS, MetricRef
from ragproof.records import Case, Chunk, Chunks, Outcome, Response
from ragproof.scoring.relevance import matcher, normaliser
from ragproof.scoring.score import Scorer
from ragproof.scoring.table import ScoreTable

pytestmark = pytest.mark.conformance

Grades = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Figures = dict[str, dict[str, float]]
"""Values by measure and query; ``all`` is their mean."""
Ours = Callable[[str], str | None]

FOUR_DECIMALS = 5e-5 + 1e-9
CUTOFFS = (1, 2, 3, 5, 7, 10, 20, 100, 1000)


def read_grades(path: Path) -> Grades:
    grades: Grades = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, document, grade = line.split()
        grades[query][document] = int(grade)
    return grades


def read_run(path: Path) -> Run:
    run: Run = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, document, _, score = line.split()[:5]  # more may follow, and does
        run[query][document] = float(score)
    return run


def read_figures(path: Path) -> Figures:
    figures: Figures = defaultdict(dict)
    for line in path.read_text().splitlines():
        measure, query, value = line.split(maxsplit=2)
        if not measure.startswith(("runid", "relstring")):
            figures[measure][query] = float(value)
    return figures


def relevant(grades: Grades, level: int = 1) -> dict[str, list[str]]:
    """Documents of at least this grade, by query."""
    return {
        query: [document for document, grade in judged.items() if grade >= level]
        for query, judged in grades.items()
    }


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Documents in trec_eval's order."""

    def key(document: str) -> tuple[float, str]:
        (single,) = struct.unpack("f", struct.pack("f", scores[document]))
        return single, document

    return sorted(scores, key=key, reverse=True)


def ref_to(name: str) -> MetricRef:
    """The metric of this name; a configuration would not take a cut-off above 1000."""
    base, _, k = name.partition("@")
    return MetricRef(METRICS[base], int(k) if k else None)


def measure(names: Iterable[str], gold: Mapping[str, Sequence[str]], run: Run) -> Figures:
    """What the product makes of it; a query that the run does not answer retrieved nothing."""
    refs = [ref_to(name) for name in names]
    cases = [Case(query, "?", expected_source_ids=tuple(gold[query])) for query in gold]
    scorer = Scorer(refs, matcher("chunk", normaliser([], [])))
    table = ScoreTable([ref.column for ref in refs], cases)
    figures: Figures = {ref.column: {} for ref in refs}
    for index, case in enumerate(cases):
        chunks = Chunks.of(Chunk(document) for document in ranked(run.get(case.id, {})))
        scored = scorer.score(case, Response(chunks=chunks))
        table.add(index, Outcome.PASS, scored.scores, scored.unscored, None)
        for name, value in scored.scores.items():
            figures[name][case.id] = value
    for ref in refs:
        summary = table.summary(ref)
        assert summary.value is not None
        figures[ref.column]["all"] = summary.value
    return figures


def compare(found: Figures, right: Figures, ours: Ours, skip: str = "no measure") -> int:
    """Compare every figure of a measure that we have; return how many there were."""
    compared = 0
    for theirs, values in right.items():
        name = ours(theirs)
        if name is not None and not theirs.startswith(skip):
            assert found[name] == pytest.approx(values, abs=FOUR_DECIMALS), theirs
            compared += len(values)
    return compared


def names_in(figures: Figures, ours: Ours) -> list[str]:
    return [name for name in map(ours, figures) if name is not None]


@pytest.mark.parametrize(
    ("expected", "run", "compared"),
    [
        ("out.test.aq", "results.test", 42 * 4),
        ("out.test.aqc", "results.trunc", 42 * 4),
        ("out.test.meas_params", "results.test", 11 * 4),
    ],
)
def test_its_own_expected_output(
    data: Path, ours: Ours, expected: str, run: str, compared: int
) -> None:
    folder = data / "trec_eval"
    right = read_figures(folder / expected)
    gold = relevant(read_grades(folder / "qrels.test"))
    found = measure(names_in(right, ours), gold, read_run(folder / run))
    assert compare(found, right, ours) == compared


def test_means_as_noted(data: Path) -> None:
    right = {
        "retrieval.map": 0.1785,
        "retrieval.mrr": 0.4064,
        "retrieval.precision@5": 0.2667,
        "retrieval.precision@10": 0.3000,
        "retrieval.recall@10": 0.0317,
        "retrieval.hit@1": 0.3333,
        "retrieval.hit@10": 0.6667,
        "retrieval.ndcg": 0.4021,
        "retrieval.ndcg@5": 0.2768,
        "retrieval.ndcg@10": 0.3016,
        "retrieval.ndcg@20": 0.3525,
        "retrieval.map@10": 0.0259,
    }
    folder = data / "trec_eval"
    gold = relevant(read_grades(folder / "qrels.test"))
    found = measure(right, gold, read_run(folder / "results.test"))
    means = {name: values["all"] for name, values in found.items()}
    assert means == pytest.approx(right, abs=FOUR_DECIMALS)


def test_a_query_without_results_counts_as_0(data: Path, ours: Ours) -> None:
    folder = data / "trec_eval"
    run = read_run(folder / "results.trunc")
    assert set(run) == {"301", "303"}
    right = read_figures(folder / "out.test.aqc")
    found = measure(names_in(right, ours), relevant(read_grades(folder / "qrels.test")), run)
    assert {values["302"] for values in found.values()} == {0}


def test_relevant_from_grade_2(data: Path, ours: Ours) -> None:
    """All but nDCG, whose gains are the grades there."""
    folder = data / "trec_eval"
    right = read_figures(folder / "out.test.aql")
    gold = relevant(read_grades(folder / "qrels.rel_level"), 2)
    found = measure(names_in(right, ours), gold, read_run(folder / "results.test"))
    assert compare(found, right, ours, skip="ndcg") == 32 * 4


@pytest.mark.parametrize("name", ["bm25", "bm25.ties"])
def test_cranfield_with_and_without_ties(data: Path, ours: Ours, name: str) -> None:
    folder = data / "cranfield"
    right = read_figures(folder / f"{name}.run.trec_eval.q")
    gold = relevant(read_grades(folder / "qrels.binary.trec"))
    found = measure(names_in(right, ours), gold, read_run(folder / f"{name}.run"))
    assert compare(found, right, ours) == 25 * 226


def reference(gold: Mapping[str, Sequence[str]], judged: Grades, run: Run) -> Figures:
    """What pytrec_eval computes with binary grades."""
    pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    binary = {
        query: {document: int(document in set(gold[query])) for document in judged[query]}
        for query in gold
    }
    at = ",".join(map(str, CUTOFFS))
    families = {f"{one}.{at}" for one in ("P", "recall", "success", "map_cut", "ndcg_cut")}
    evaluator = pytrec_eval.RelevanceEvaluator(binary, families | {"map", "recip_rank", "ndcg"})
    figures: Figures = defaultdict(dict)
    for query, values in evaluator.evaluate(run).items():
        for theirs, value in values.items():
            figures[theirs][query] = value
    return figures


def per_query(figures: Figures) -> Iterator[tuple[str, dict[str, float]]]:
    for name, values in figures.items():
        yield name, {query: value for query, value in values.items() if query != "all"}


@pytest.mark.parametrize(
    ("qrels", "run", "level"),
    [
        ("ir_measures/compat.qrels", "ir_measures/compat.run", 1),
        ("ir_measures/compat.qrels", "ir_measures/compat.run", 2),
        ("ir_measures/cwl.qrels", "ir_measures/cwl.run", 1),
        ("trec_eval/qrels.rel_level", "trec_eval/results.test", 1),
        ("trec_eval/qrels.rel_level", "trec_eval/results.test", 2),
        ("trec_eval/qrels.test", "trec_eval/results.test", 1),
    ],
)
def test_graded_judgements_made_binary(
    data: Path, ours: Ours, qrels: str, run: str, level: int
) -> None:
    judged, retrieved = read_grades(data / qrels), read_run(data / run)
    gold = {query: found for query, found in relevant(judged, level).items() if found}
    right = reference(gold, judged, retrieved)
    assert len(right) == 5 * len(CUTOFFS) + 3
    found = dict(per_query(measure(names_in(right, ours), gold, retrieved)))
    for theirs, values in right.items():
        name = ours(theirs)
        assert name is not None
        assert len(values) == len(gold)
        assert found[name] == pytest.approx(values, abs=1e-9), theirs


documents = st.sampled_from([f"d{number}" for number in range(30)])


@settings(max_examples=200, deadline=None)  # the first one loads pytrec_eval
@given(
    st.dictionaries(
        documents, st.floats(0, 50, width=16) | st.integers(0, 3).map(float), min_size=1
    ),
    st.dictionaries(documents, st.integers(-1, 3), min_size=1),
)
def test_any_run(ours: Ours, scores: dict[str, float], judged: dict[str, int]) -> None:
    gold = relevant({"q": judged})
    if gold["q"]:
        right = reference(gold, {"q": judged}, {"q": scores})
        found = measure(names_in(right, ours), gold, {"q": scores})
        for theirs, values in right.items():
            assert found[ours(theirs) or ""]["q"] == pytest.approx(values["q"], abs=1e-9), theirs
