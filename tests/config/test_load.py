"""What ``ragproof.yml`` may say, and how it is told what it may not."""

import json
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.config import load as loading
from ragproof.config.load import config_schema, load_config
from ragproof.config.models import Bounds, Config, GateConfig
from ragproof.errors import ConfigError
from ragproof.records import Kind

DEMO = resources.files("ragproof.demo").joinpath("ragproof.yml").read_text(encoding="utf-8")

Read = Callable[[str], Config]
Refused = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("config") / "ragproof.yml"


@pytest.fixture(scope="session")
def read(path: Path) -> Read:
    def read(text: str) -> Config:
        path.write_text(text, encoding="utf-8")
        return load_config(path)

    return read


@pytest.fixture(scope="session")
def refused(read: Read, path: Path) -> Refused:
    def refused(text: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            read(text)
        return caught.value.message.replace(f"{path}:", "").splitlines()

    return refused


def test_defaults(read: Read) -> None:
    config = read("version: 1")
    assert config == Config()
    assert config.cutoffs() == [1, 5, 10]
    assert config.gate.min_coverage == 0.95
    assert not config.gate.enforces()


def test_the_demo_is_valid(read: Read) -> None:
    config = read(DEMO)
    assert config.cutoffs() == [1, 5]
    assert config.gate.enforces()
    assert config.gate.thresholds["latency.p95"] == Bounds(max=2)


@pytest.mark.parametrize(
    ("text", "cutoffs"), [("k: 3", [3]), ("k: [10, 1, 10]", [1, 10]), ("k: 1000", [1000])]
)
def test_cutoffs(read: Read, text: str, cutoffs: list[int]) -> None:
    assert read(text).cutoffs() == cutoffs


def test_all_problems_at_once_each_with_its_line(refused: Refused) -> None:
    text = """\
version: 2
k: [1, 0]
endpoint:
  url: http://x
  tiemout: 5
  response: {answer: $.a, chunks: $.c}
strip_prefix: 5
replace: [{pattern: "(", wiht: x}, {pattern: "("}, {pattern: a, with: '\\2'}]
metrics: [retrieval.recal@5, retrieval.mrr, 'retrieval.mrr[tag=x]']
case_pass:
  qq: {retrieval.hit@5: {min: 1}}
  unanswerable: {retrieval.hit@5: {min: 1}, latency.p95: {max: 1}}
gate:
  thresholds:
    retrieval.recal@7: {min: 0.5}
    retrieval.recall@5: {min: 1.5}
    retrieval.recall@7: {min: x}
    retrieval.mrr: {mim: 1}
    retrieval.map: {min: 0.9, max: 0.1}
    retrieval.map@5: {}
    latency.p95: {max: -1}
    'retrieval.map@5[ tag=x ]': {min: 0}
  required: {cases: [a], tag: [x]}
  min_coverage: 1.5
"""
    assert refused(text) == [
        "1: version: input should be 1",
        "2: k.1: input should be greater than or equal to 1",
        "5: endpoint.tiemout: unknown key; did you mean timeout?",
        "6: endpoint.response: chunks needs chunk, which says where id, text and document_id stand",
        "7: strip_prefix: input should be a valid string or a valid list",
        "8: replace.0.wiht: unknown key; did you mean with?",
        "8: replace.1: not a regular expression and its replacement: missing ), unterminated"
        " subpattern at position 0",
        "8: replace.2: not a regular expression and its replacement: invalid group reference 2 at"
        " position 1",
        "9: metrics.0: there is no metric 'retrieval.recal': did you mean retrieval.recall@5?",
        "9: metrics.2: 'retrieval.mrr[tag=x]': a slice belongs into gate.thresholds",
        "11: case_pass.qq: input should be 'qa', 'unanswerable' or 'injection'",
        "12: case_pass.unanswerable.latency.p95: is no score of a single case",
        "12: case_pass.unanswerable.retrieval.hit@5: does not apply to unanswerable cases",
        "15: gate.thresholds.retrieval.recal@7: there is no metric 'retrieval.recal': did you mean"
        " retrieval.recall@7?",
        "16: gate.thresholds.retrieval.recall@5: 1.5 is outside the metric's range, 0 to 1",
        "17: gate.thresholds.retrieval.recall@7.min: input should be a valid number",
        "18: gate.thresholds.retrieval.mrr.mim: unknown key; did you mean min?",
        "19: gate.thresholds.retrieval.map: min 0.9 is above max 0.1",
        "20: gate.thresholds.retrieval.map@5: needs min or max",
        "21: gate.thresholds.latency.p95: -1 is outside the metric's range, 0 and up",
        "22: gate.thresholds.retrieval.map@5[ tag=x ]: 'retrieval.map@5[ tag=x ]' is spelled"
        " retrieval.map@5[tag=x]",
        "23: gate.required.tag: unknown key; did you mean tags?",
        "24: gate.min_coverage: input should be less than or equal to 1",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("k: 0", "1: k: input should be greater than or equal to 1"),
        ("k: 1001", "1: k: input should be less than or equal to 1000"),
        ("k: []", "1: k: list should have at least 1 item after validation, not 0"),
        ("k: x", "1: k: input should be a valid integer or a valid list"),
        ("k: true", "1: k: input should be a valid integer or a valid list"),
        ("k: 1.5", "1: k: input should be a valid integer or a valid list"),
        ("k: [1, x]", "1: k.1: input should be a valid integer"),
        ("\nmetrics: retrieval.mrr", "2: metrics: input should be a valid list"),
        ("gate:\n  thresholds: [a]", "2: gate.thresholds: input should be a valid dictionary"),
        ("gate: 5", "1: gate: input should be"),
        ("gate: {min_coverage: '1'}", "1: gate.min_coverage: input should be a valid number"),
        ("gate: {min_coverage: true}", "1: gate.min_coverage: input should be a valid number"),
        ("gate: {min_coverage: .inf}", "1: .inf is not a number that JSON has"),
        ("gate: {thresholds: {retrieval.mrr: {min: .nan}}}", "1: .nan is not a number that"),
        (
            "gate: {thresholds: {retrieval.mrr: 0.5}}",
            "1: gate.thresholds.retrieval.mrr: input should be",
        ),
        (
            "gate: {thresholds: {retrieval.recall: {min: 0.5}}}",
            "1: gate.thresholds.retrieval.recall: 'retrieval.recall' needs a cut-off: write"
            " retrieval.recall@10",
        ),
        (
            "gate: {thresholds: {'retrieval.mrr[tga=x]': {min: 0.5}}}",
            "1: gate.thresholds.retrieval.mrr[tga=x]: cannot read 'tga=x' in the selection",
        ),
        (
            "gate:\n  required: {cases: [b, a]}\n  allow_failing: [a, b, c]",
            "1: gate: in required and in allow_failing: 'a', 'b'",
        ),
        ("gate: {thresholds: {retrieval.mrr: {min: 1e400}}}", "1: gate.thresholds."),
        ("source_match: chunks", "1: source_match: input should be 'chunk', 'document', 'prefix'"),
        ("endpoint: {}", "1: endpoint: needs url and response"),
        ("endpoint: {url: x, response: {}}", "1: endpoint.response: maps nothing"),
        (
            "endpoint:\n  url: x\n  retrieve: {url: y, response: {answer: $}}",
            "1: endpoint: url stands beside retrieve and answer: move it into them",
        ),
        ("endpoint: {headers: {A: 5}}", "1: endpoint.headers.A: input should be a valid string"),
        ("endpoint: {answer: {response: {answer: $}}}", "1: endpoint.answer.url: is missing"),
        ("endpoit: {}", "1: endpoit: unknown key; did you mean endpoint?"),
        ("qqqq: {}", "1: qqqq: unknown key; the keys are version, dataset, endpoint, k,"),
        ("a: 1\na: 2", "2: the key 'a' stands twice"),
        ("- a", "1: must be a mapping of keys"),
        ("a", "1: must be a mapping of keys"),
        ("# nothing", "1: must be a mapping of keys"),
        ("a: [", "2: did not find expected node content"),
    ],
)
def test_one_problem_one_line(refused: Refused, text: str, message: str) -> None:
    (line,) = refused(text)
    assert line.startswith(message)


@pytest.mark.parametrize("name", ["", "retrieval", "latency.p99", "@", "[tag=x]", "x" * 5000])
def test_no_name_of_a_metric(refused: Refused, name: str) -> None:
    (line,) = refused(f"metrics: [{json.dumps(name)}]")
    assert line.startswith("1: metrics.0: ")


def test_paths_that_are_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path, tmp_path / "missing", Path("/dev/null")):
        with pytest.raises(ConfigError, match=r"does not exist|not a regular file"):
            load_config(path)
    monkeypatch.setattr(loading, "MAX_BYTES", 10)
    (tmp_path / "big").write_text("# " * 100)
    with pytest.raises(ConfigError, match="larger than"):
        load_config(tmp_path / "big")


def test_keys_of_case_pass_are_kinds(read: Read) -> None:
    config = read("case_pass: {qa: {retrieval.hit@5: {min: 1}}, injection: {}}")
    assert config.case_pass == {Kind.QA: {"retrieval.hit@5": Bounds(min=1)}, Kind.INJECTION: {}}


@pytest.mark.parametrize(
    ("value", "bounds", "side"),
    [
        (0.1 + 0.7, Bounds(min=0.8), None),
        (0.1 + 0.2, Bounds(max=0.3), None),
        (1 / 3, Bounds(min=0.33333333333), None),
        (0.3333333333, Bounds(min=1 / 3), None),
        (2 / 3, Bounds(min=2 / 3, max=2 / 3), None),
        (0.8999999999, Bounds(min=0.9), "below"),
        (0.9000000001, Bounds(max=0.9), "above"),
        (0.0, Bounds(max=0.0), None),
        (-0.0, Bounds(min=0.0), None),
    ],
)
def test_bounds_compare_as_decimals(value: float, bounds: Bounds, side: str | None) -> None:
    broken = bounds.broken_by(value)
    assert (broken and broken.side) == side


def test_what_a_gate_enforces() -> None:
    assert GateConfig(required={"tags": ["x"]}).enforces()
    assert not GateConfig(allow_failing=["x"], min_coverage=1.0).enforces()


@given(st.integers(0, len(DEMO) - 1), st.text("{}[]:- \n\"'x&*!?", max_size=3))
@settings(max_examples=150)
def test_a_damaged_configuration_is_read_or_refused(read: Read, at: int, junk: str) -> None:
    with suppress(ConfigError):
        read(DEMO[:at] + junk + DEMO[at + len(junk) :])


@pytest.fixture(scope="session")
def valid() -> Callable[[Any], bool]:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema).is_valid


def test_the_schema_accepts_what_the_models_accept(valid: Callable[[Any], bool]) -> None:
    demo = yaml.safe_load(DEMO)
    assert valid(demo)
    assert valid({})
    assert valid({"k": 3, "case_pass": {"qa": {"retrieval.hit@5": {"min": 1}}}})
    assert valid({"replace": [{"pattern": "a", "with": "b"}]})


@pytest.mark.parametrize(
    "change",
    [
        {"endpoit": {}},
        {"version": 2},
        {"k": 0},
        {"k": []},
        {"source_match": "chunks"},
        {"gate": {"treshold": {}}},
        {"gate": {"min_coverage": 2}},
        {"gate": {"thresholds": {"retrieval.mrr": {"mim": 1}}}},
        {"case_pass": {"qq": {}}},
        {"replace": [{"pattern": "a", "with_": "b"}]},
    ],
)
def test_the_schema_rejects_what_the_models_reject(
    valid: Callable[[Any], bool], change: dict[str, Any]
) -> None:
    assert not valid({**yaml.safe_load(DEMO), **change})


def test_the_schema_describes_itself() -> None:
    schema = config_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "ragproof.yml"
