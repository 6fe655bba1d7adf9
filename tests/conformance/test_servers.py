"""Real RAG servers, asked with a plain mapping: LangServe and Hayhooks over 22 documents.

The cases are in ``servers/cases.jsonl``; ``origin.section`` counts the sections of the
document in which the answer stands, from which quotes for evidence are cut.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from labserver import started

pytestmark = pytest.mark.conformance

_HERE = Path(__file__).parent / "servers"
PATHS = {"langserve": "/rag/invoke", "hayhooks": "/rag/run"}
FOUND = {"langserve": 7 / 8, "hayhooks": 1.0}
"""Share of the questions whose document is among the first three."""


class Server(NamedTuple):
    """A running server: its address, its configuration and the documents it knows."""

    name: str
    url: str
    config: Path
    corpus: Path


@pytest.fixture(scope="module", params=list(PATHS))
def server(
    request: pytest.FixtureRequest, lab: Path, cache: Path, environment: dict[str, str]
) -> Iterator[Server]:
    name = request.param
    with started(lab / name / "start.sh", cache / name, environment) as port:
        url = f"http://127.0.0.1:{port}{PATHS[name]}"
        yield Server(name, url, _HERE / f"{name}.yml", lab / "corpus" / "small")


def read_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_HERE / "cases.jsonl").read_text().splitlines()]


def values(run: dict[str, Any]) -> dict[str, float]:
    return {metric["name"]: metric["value"] for metric in run["metrics"]}


def test_the_frozen_set_is_that_of_the_cases(ragproof: Callable[..., None], tmp_path: Path) -> None:
    frozen = tmp_path / "cases.frozen.json"
    ragproof("freeze", _HERE / "cases.jsonl", "--out", frozen)
    assert frozen.read_text() == (_HERE / "cases.frozen.json").read_text()


def test_a_run_passes_its_gate(
    server: Server, ragproof: Callable[..., None], tmp_path: Path
) -> None:
    ragproof("run", "--config", server.config, "--endpoint", server.url, "--out", tmp_path)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["verdict"] == "pass"
    assert run["counts"]["error"] == run["counts"]["unscored"] == 0
    assert run["gate"]["allow_failing"] == {"failing": ["price"], "passing": []}
    assert values(run)["retrieval.hit@3"] == FOUND[server.name]
    for case in run["cases"]:
        assert len(case["retrieved"]) == len(set(case["retrieved"])) == 3, case["id"]
        assert case["answer"], case["id"]
        assert case["attempts"] == 1, case["id"]


def test_a_run_with_evidence_passes_its_gate(
    server: Server, ragproof: Callable[..., None], tmp_path: Path
) -> None:
    dataset = tmp_path / "cases.jsonl"
    with dataset.open("w") as file:
        for case in read_cases():
            file.write(json.dumps(with_evidence(case, server.corpus)) + "\n")
    config = tmp_path / "ragproof.yml"
    text = server.config.read_text()
    assert "source_match: document" in text
    config.write_text(text.replace("source_match: document", "source_match: evidence"))
    ragproof("freeze", dataset)
    ragproof("run", "--config", config, "--endpoint", server.url, "--out", tmp_path)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["verdict"] == "pass"
    assert run["counts"]["error"] == run["counts"]["unscored"] == 0
    found = values(run)
    assert found["retrieval.recall@3"] == found["retrieval.hit@3"] == FOUND[server.name]


def with_evidence(case: dict[str, Any], corpus: Path) -> dict[str, Any]:
    """The case with the first line under the heading of its section for a quote."""
    if "origin" not in case:
        return case
    (source,) = case["expected_source_ids"]
    sections = re.split(r"(?m)^(?=#{1,3} )", (corpus / source).read_text(encoding="utf-8"))
    _, quote, *_ = filter(None, sections[case["origin"]["section"]].splitlines())
    return {**case, "evidence": [{"quote": quote, "source_id": source}]}


def test_a_gate_that_asks_for_more_fails(
    server: Server, ragproof: Callable[..., None], tmp_path: Path
) -> None:
    """The one question that nobody can answer is answered all the same."""
    config = tmp_path / "ragproof.yml"
    text = server.config.read_text().replace("cases.frozen.json", str(_HERE / "cases.frozen.json"))
    config.write_text(
        text.replace("required: {", "required: {cases: [price], ").replace(
            "allow_failing: [price]", "allow_failing: []"
        )
    )
    ragproof("run", "--config", config, "--endpoint", server.url, "--out", tmp_path, exit_code=1)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["verdict"] == "fail"
    assert [one["outcome"] for one in run["gate"]["required"] if "price" in str(one)] == ["fail"]
