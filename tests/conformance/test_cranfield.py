"""A whole run over HTTP: 225 queries on 1,400 documents, ranked by BM25, against trec_eval."""

import json
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.conformance

Ours = Callable[[str], str | None]
Figures = dict[str, dict[str, float]]
"""Values by metric and query; ``all`` is their mean."""

FOUR_DECIMALS = 5e-5 + 1e-9
CUTOFFS = (1, 3, 5, 10, 20)
PUBLISHED = {
    "retrieval.map": 0.2812,
    "retrieval.mrr": 0.5174,
    "retrieval.mrr@10": 0.5121,
    "retrieval.precision@10": 0.2231,
    "retrieval.recall@10": 0.3832,
    "retrieval.hit@10": 0.8489,
    "retrieval.ndcg@10": 0.3664,
}
CONFIG = """\
dataset: cranfield.frozen.json
endpoint:
  url: {url}
  body: {{question: "{{{{ question }}}}", k: "{{{{ k }}}}"}}
  response:
    chunks: $.documents[*]
    chunk: {{id: $.id, score: $.score}}
k: [1, 3, 5, 10, 20, 100]
metrics: [{metrics}]
gate:
  thresholds:
    retrieval.map: {{min: 0.2812, max: 0.2813}}
    retrieval.hit@10: {{min: 0.8488}}
"""


@pytest.fixture
def dataset(data: Path, tmp_path: Path) -> Path:
    """The queries as cases, with the relevant documents as expected sources."""
    gold = defaultdict(list)
    for line in (data / "cranfield" / "qrels.binary.trec").read_text().splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            gold[query].append(document)
    path = tmp_path / "cranfield.jsonl"
    with path.open("w") as file:
        for line in (data / "cranfield" / "queries.jsonl").read_text().splitlines():
            query = json.loads(line)
            case = {"id": query["_id"], "question": query["text"]}
            case["expected_source_ids"] = gold[query["_id"]]
            file.write(json.dumps(case) + "\n")
    return path


@pytest.fixture
def search(data: Path) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What a search service over the documents answers."""
    ranked = json.loads((data / "cranfield" / "bm25.ranked.json").read_text())
    by_text = {}
    for line in (data / "cranfield" / "queries.jsonl").read_text().splitlines():
        query = json.loads(line)
        by_text[query["text"]] = ranked[query["_id"]]

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        found = islice(by_text[body["question"]], body["k"])
        return {"documents": [{"id": one, "score": 1 / rank} for rank, one in enumerate(found, 1)]}

    return answer


def published(folder: Path, ours: Ours) -> Figures:
    """Every figure of the measures we have; of those truncated at k, MRR@k and MAP@k."""
    figures: Figures = defaultdict(dict)
    files = {"": folder / "bm25.run.trec_eval.q"}
    files |= {f"@{k}": folder / f"bm25.run.trec_eval.M{k}" for k in CUTOFFS}
    for cutoff, path in files.items():
        for line in path.read_text().splitlines():
            measure, query, value = line.split()
            name = ours(measure)
            if name is not None:
                figures[name + cutoff][query] = float(value)
    return figures


def scored(path: Path) -> Figures:
    """The scores that a run holds, and its metrics as their means."""
    run = json.loads(path.read_text())
    figures: Figures = defaultdict(dict)
    for case in run["cases"]:
        for name, value in case["scores"].items():
            figures[name][case["id"]] = value
    for metric in run["metrics"]:
        figures[metric["name"]]["all"] = metric["value"]
    return figures


@pytest.fixture
def right(data: Path, ours: Ours) -> Figures:
    return published(data / "cranfield", ours)


@pytest.fixture
def config(
    right: Figures,
    search: Callable[[dict[str, Any]], dict[str, Any]],
    serve: Callable[..., str],
    tmp_path: Path,
) -> Path:
    path = tmp_path / "ragproof.yml"
    path.write_text(CONFIG.format(url=serve(search), metrics=", ".join(right)))
    return path


def test_a_run_gives_the_figures_of_trec_eval(
    right: Figures, dataset: Path, config: Path, ragproof: Callable[..., None]
) -> None:
    out = config.with_name("out")
    ragproof("freeze", dataset)
    ragproof("verify", config.with_name("cranfield.frozen.json"))
    ragproof("run", "--config", config, "--out", out)

    run = json.loads((out / "run.json").read_text())
    assert run["verdict"] == "pass"
    assert run["complete"] is True
    assert run["dataset"]["frozen"] is True
    assert len(run["cases"]) == run["dataset"]["cases"] == 225
    found = scored(out / "run.json")
    means = {name: found[name]["all"] for name in PUBLISHED}
    assert means == pytest.approx(PUBLISHED, abs=FOUR_DECIMALS)
    assert len(right) == 25 + 2 * len(CUTOFFS) - 2  # map_cut_5 and map_cut_10 are in both
    for name, values in right.items():
        assert len(values) == 226
        assert found[name] == pytest.approx(values, abs=FOUR_DECIMALS), name

    # The same from the saved responses, with nobody to ask; then a gate that asks for more.
    again = config.with_name("again")
    ragproof("run", "--config", config, "--responses", out / "responses.jsonl", "--out", again)
    assert scored(again / "run.json") == found
    strict = config.with_name("strict.yml")
    strict.write_text(config.read_text().replace("min: 0.8488", "min: 0.849"))
    ragproof("gate", out / "run.json", "--config", strict, exit_code=1)
