"""What a step tells the runner, and what the runner tells a step, whatever texts are in it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.errors import StorageError, UsageError
from ragproof.github.annotations import MOST, annotations
from ragproof.github.commands import workflow_command
from ragproof.github.environment import read_runner
from ragproof.github.outputs import SUMMARY_BYTES, append, format_outputs, summary_room
from ragproof.report.view import build_view

TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(
    st.sampled_from(["\n", "\r", "::", "::error::x", "##[error]", "%", "%0A", ",", ":", "<<", "a"])
).map("".join)


def as_read(line: str) -> tuple[str, dict[str, str], str]:
    """Name, properties and message of a command, as the runner's parser takes them."""
    assert line.startswith("::")
    head, _, message = line[2:].partition("::")
    name, _, rest = head.partition(" ")
    pairs = (pair.split("=", 1) for pair in rest.split(",") if pair)
    properties = {key: _undone(value, ":%3A", ",%2C") for key, value in pairs}
    return name, properties, _undone(message)


def _undone(text: str, *more: str) -> str:
    for pair in (*more, "\r%0D", "\n%0A", "%%25"):
        text = text.replace(pair[1:], pair[0])
    return text


@given(message=TEXT, title=TEXT, line=st.integers(1, 9))
def test_a_command_is_one_line_that_says_what_was_given(
    message: str, title: str, line: int
) -> None:
    written = workflow_command("error", message, title=title, line=line)
    assert "\n" not in written
    assert "\r" not in written
    assert as_read(written) == ("error", {"title": title, "line": str(line)}, message)


def parsed(text: str) -> dict[str, str]:
    """Outputs as the runner reads them: line by line, by the delimiter that a value names."""
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for start in lines:
        if start:
            name, _, end = start.partition("<<")
            value = []
            while (line := next(lines)) != end:
                value.append(line)
            found[name] = "\n".join(value)
    return found


@given(verdict=TEXT, scores=TEXT)
def test_no_value_ends_an_output_early(verdict: str, scores: str) -> None:
    text = format_outputs({"verdict": verdict, "scores": scores})
    assert parsed(text) == {"verdict": verdict, "scores": scores}


def test_a_value_that_guesses_the_delimiter() -> None:
    guesses = iter(["guessed", "other", "third"])
    text = format_outputs({"verdict": "x\nragproof_guessed\nscores<<E"}, lambda: next(guesses))
    assert parsed(text) == {"verdict": "x\nragproof_guessed\nscores<<E"}
    with pytest.raises(KeyError):
        format_outputs({"unknown": "x"})


def test_files_of_the_runner_are_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "file"
    append(path, "a\n")
    append(path, "é\ud800\n")
    assert path.read_bytes() == b"a\n\xc3\xa9\\ud800\n"
    assert summary_room(path) == SUMMARY_BYTES - 11
    assert summary_room(tmp_path / "none") == SUMMARY_BYTES
    with pytest.raises(StorageError, match="cannot write"):
        append(tmp_path / "no" / "file", "x")


def test_the_environment_of_a_step(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"action": "opened"}))
    runner = read_runner(
        {
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_RUN_ID": "12",
            "GITHUB_SERVER_URL": "https://ghes.example/",
            "GITHUB_API_URL": "https://ghes.example/api/v3/",
        }
    )
    assert runner.payload == {"action": "opened"}
    assert runner.api_url == "https://ghes.example/api/v3"
    assert runner.run_url == "https://ghes.example/o/r/actions/runs/12"


def test_no_environment_is_none() -> None:
    runner = read_runner({"GITHUB_RUN_ID": "-1"})
    assert (runner.run_id, runner.run_url, runner.output, runner.payload) == (0, "", None, {})
    assert runner.workspace == Path.cwd()


@pytest.mark.parametrize("text", ["", "{", "[]", "\ufeff", "[" * 100_000, "NaN"])
def test_a_payload_that_is_none(tmp_path: Path, text: str) -> None:
    event = tmp_path / "event.json"
    event.write_text(text)
    with pytest.raises(UsageError, match="payload of the event"):
        read_runner({"GITHUB_EVENT_PATH": str(event)})


def run(verdict: str, *cases: dict[str, object]) -> tuple[dict[str, object], list[object]]:
    head = {
        "ragproof": "1",
        "complete": True,
        "verdict": verdict,
        "exit_code": 1,
        "reasons": ["retrieval.mrr is 0.1, below 0.5"],
        "dataset": {"path": "/w/evals/d.json", "hash": "", "frozen": True}
        | dict.fromkeys(("cases", "selected"), len(cases)),
        "select": None,
        "limit": None,
        "endpoint": None,
        "responses": {"file": "r", "sha256": "", "duration_s": None},
        "settings": {},
        "counts": {"pass": 0, "fail": len(cases), "unscored": 0, "error": 0},
        "metrics": [],
        "gate": None,
    }
    default = {
        "kind": "qa",
        "tags": [],
        "outcome": "fail",
        "reasons": ["retrieval.hit@5 is 0, at least 1 is needed"],
        "unscored": {},
        "question": "",
        "expected": ["a.md"],
        "expected_answer": None,
        "retrieved": ["b.md", "c.md"],
        "ranks": [],
        "answer": None,
    }
    return head, [
        {"id": f"c{number}", "line": number, **default, **one} for number, one in enumerate(cases)
    ]


def test_annotations_say_why_and_where() -> None:
    view = build_view(*run("fail", {}, {"retrieved": []}, {"expected": [], "line": 7}))
    lines = [as_read(line) for line in annotations(view, "fail", Path("/w"))]
    assert lines[0] == ("error", {"title": "ragproof failed"}, "retrieval.mrr is 0.1, below 0.5")
    assert lines[1] == (
        "error",
        {"title": "c0: fail", "file": "evals/d.json"},
        "retrieval.hit@5 is 0, at least 1 is needed\nexpected a.md; retrieved first: b.md, c.md",
    )
    assert lines[2][1]["line"] == "1"
    assert lines[2][2].endswith("retrieved first: nothing")
    assert lines[3][1]["line"] == "7"
    assert "expected" not in lines[3][2]


def test_no_more_annotations_than_are_shown() -> None:
    view = build_view(*run("fail", *[{}] * 30))
    assert len(annotations(view, "fail", Path("/w"))) == MOST
    for verdict in ("pass", "ungated"):
        assert annotations(view, verdict, Path("/w")) == []


@given(text=TEXT)
def test_whatever_a_case_holds_an_annotation_is_one_command(text: str) -> None:
    view = build_view(*run("error", {"id": text, "reasons": [text], "retrieved": [text]}))
    lines = annotations(view, "error", Path("/w"))
    assert len(lines) == 2
    for line in lines:
        assert len(line.splitlines()) == 1
        assert as_read(line)[0] == "error"
