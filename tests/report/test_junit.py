"""JUnit: valid whatever the texts, counted rightly, and never greener than the gate."""

import io
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.report.escape import xml_text
from ragproof.report.junit import JunitReport, write_junit

Make = Callable[..., dict[str, Any]]


def junit(head: dict[str, Any], *cases: dict[str, Any], **options: Any) -> str:
    out = io.StringIO()
    write_junit(head, cases, out, **options)
    return out.getvalue()


def results(text: str) -> dict[tuple[str, str], ET.Element | None]:
    """What became of each test, by class and name; nothing when it passed."""
    suite = ET.fromstring(text)
    return {
        (test.attrib["classname"], test.attrib["name"]): next(iter(test), None) for test in suite
    }


@pytest.fixture
def mixed(head: Make, case: Make, failing: Make) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A run with one of everything."""
    run = head(verdict="fail", exit_code=1, reasons=["recall is 0.79996, at least 0.8 is needed"])
    run["gate"]["thresholds"] = [
        {
            "metric": "retrieval.recall@10",
            "min": 0.8,
            "max": None,
            "value": 0.79996,
            "outcome": "fail",
        },
        {"metric": "latency.p95", "min": None, "max": 2.0, "value": 1.25, "outcome": "pass"},
        {"metric": "answer.token_f1", "min": 0.5, "max": None, "value": None, "outcome": "error"},
    ]
    failure = {"kind": "timeout", "message": "no answer within 30 s", "excerpt": "<html>\nbusy"}
    return run, [
        case(id="passes"),
        failing(id="fails", reasons=["hit is 0 & so on", "recall is 0"]),
        failing(id="old", known_failure=True),
        case(id="down", outcome="error", failure=failure, latency_s=None),
        case(id="odd", outcome="unscored", unscored={"retrieval": "no ids"}, kind="unanswerable"),
    ]


def test_golden(mixed: Any, golden: Callable[[str, str], None]) -> None:
    golden("junit.xml", junit(mixed[0], *mixed[1]))


def test_counts(mixed: Any) -> None:
    suite = ET.fromstring(junit(mixed[0], *mixed[1]))
    assert suite.tag == "testsuite"
    assert suite.attrib == {
        "name": "ragproof",
        "tests": "10",
        "failures": "3",
        "errors": "2",
        "skipped": "2",
        "time": "12.340",
    }
    for attribute, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        assert len(suite.findall(f"testcase/{tag}")) == int(suite.attrib[attribute])
    assert len(suite) == int(suite.attrib["tests"])


def test_what_each_test_says(mixed: Any) -> None:
    tests = results(junit(mixed[0], *mixed[1]))
    said = {
        name: (result.tag, result.get("type"), result.get("message"))
        for (_, name), result in tests.items()
        if result is not None
    }
    assert said == {
        "verdict": ("failure", "verdict", "recall is 0.79996, at least 0.8 is needed"),
        "retrieval.recall@10": ("failure", "threshold", "0.79996, ≥ 0.8 is needed"),
        "answer.token_f1": ("error", "threshold", "not measured, ≥ 0.5 is needed"),
        "fails": ("failure", "case_pass", "hit is 0 & so on"),
        "old": ("skipped", None, "known failure"),
        "down": ("error", "timeout", "no answer within 30 s"),
        "odd": ("skipped", None, "retrieval: no ids"),
    }
    assert ("ragproof.unanswerable", "odd") in tests
    assert ("ragproof.gate", "coverage") in tests
    failed = tests["ragproof.qa", "fails"]
    assert failed is not None
    assert failed.text == "hit is 0 & so on\nrecall is 0"


def test_a_failed_verdict_is_never_green(head: Make, case: Make) -> None:
    for verdict, attribute in {"fail": "failures", "error": "errors"}.items():
        suite = ET.fromstring(junit(head(verdict=verdict), case()))
        assert suite.attrib[attribute] == "1"


def test_an_ungated_run_has_no_thresholds(head: Make, case: Make) -> None:
    text = junit(head(verdict="ungated", gate=None, responses={"duration_s": None}), case(), case())
    suite = ET.fromstring(text)
    assert suite.attrib["tests"] == "3"
    assert suite.attrib["time"] == "0.025"


def test_ids_only(mixed: Any) -> None:
    text = junit(mixed[0], *mixed[1], texts=False)
    assert "no answer within" not in text
    assert "busy" not in text
    assert 'type="timeout"' in text


@given(text=st.text(st.characters(exclude_categories=()), min_size=1))
def test_any_text_is_valid_and_names_come_back(head: Make, failing: Make, text: str) -> None:
    failure = {"kind": text, "message": text, "excerpt": text}
    run = head(verdict="fail", reasons=[text])
    run["gate"]["thresholds"][0] |= {"metric": text, "outcome": "fail"}
    case = {"id": text, "kind": text, "reasons": [text, text], "unscored": {text: text}}
    outcomes = ("pass", "fail", "unscored", "error")
    cases = [failing(**case, outcome=outcome, failure=failure) for outcome in outcomes]
    output = junit(run, *cases)
    suite = ET.fromstring(output.encode())
    assert [(test.get("classname"), test.get("name")) for test in suite] == [
        ("ragproof.gate", "verdict"),
        ("ragproof.gate", "coverage"),
        ("ragproof.gate", xml_text(text)),
        *[(f"ragproof.{xml_text(text)}", xml_text(text))] * 4,
    ]


def test_what_hides_is_shown(head: Make, failing: Make) -> None:
    text = junit(head(), failing(reasons=["a\u202eb\nc\u200bd"]))
    assert r'message="a\u202Eb c\u200Bd"' in text
    assert "a\\u202Eb\nc\\u200Bd</failure>" in text


def test_cases_are_handed_on_one_by_one(head: Make, case: Make) -> None:
    """One reading serves several reports, and no case is held."""
    read = []

    def cases() -> Any:
        for n in range(3):
            read.append(n)
            yield case(id=str(n))

    with JunitReport(head()) as report:
        stream = report.through(cases())
        assert next(stream)["id"] == "0"
        assert read == [0]
        assert [one["id"] for one in stream] == ["1", "2"]
        out = io.StringIO()
        report.write(out)
    assert out.getvalue().count("ragproof.qa") == 3
