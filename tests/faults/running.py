"""Runs the command against an endpoint and keeps all that came out of it."""

import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragproof.cli import main
from ragproof.results.responses import ResponsesReader, Saved

ANSWER = {"answer": "30 days", "chunks": [{"id": "a", "text": "thirty days", "score": 0.5}]}
GOOD = json.dumps(ANSWER).encode()
RESPONSE = {
    "answer": "$.answer",
    "chunks": "$.chunks[*]",
    "chunk": {"id": "$.id", "text": "$.text", "score": "$.score"},
}
FILES = ("run.json", "responses.jsonl", "report.md", "junit.xml")


class Ran(NamedTuple):
    """What a run left: exit code, both streams, and the folder of results."""

    code: int
    out: str
    err: str
    folder: Path
    seconds: float

    @property
    def run(self) -> dict[str, Any]:
        run: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return run

    @property
    def failure(self) -> dict[str, Any]:
        """Why the first case that could not be asked could not."""
        return next(case["failure"] for case in self.run["cases"] if case.get("failure"))

    def saved(self) -> list[Saved]:
        return list(ResponsesReader(self.folder / "responses.jsonl"))

    def everything(self) -> dict[str, str]:
        """All that left the process, by name of stream or file."""
        streams = {"stdout": self.out, "stderr": self.err}
        return streams | {
            path.name: path.read_text("utf-8") for path in self.folder.iterdir() if path.is_file()
        }


def write_set(folder: Path, cases: int) -> Path:
    """A plain dataset of so many cases."""
    path = folder / "dataset.jsonl"
    lines = (
        {
            "id": f"case-{index}",
            "question": f"question {index}?",
            "expected_answer": "30 days",
            "expected_source_ids": ["a"],
        }
        for index in range(cases)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_config(folder: Path, url: str, **settings: Any) -> Path:
    """A configuration that asks ``url``; JSON is YAML."""
    path = folder / "ragproof.yml"
    endpoint = {
        "url": url,
        "body": {"q": "{{ question }}"},
        "response": RESPONSE,
        "timeout": 5.0,
        "max_wait": 0.05,
        **settings,
    }
    gate = {"thresholds": {"retrieval.recall@1": {"min": 0.5}}}
    path.write_text(
        json.dumps({"dataset": "dataset.jsonl", "k": 1, "endpoint": endpoint, "gate": gate})
    )
    return path


def run(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    url: str,
    *,
    cases: int = 3,
    arguments: tuple[str, ...] = (),
    **settings: Any,
) -> Ran:
    """``ragproof run`` over so many cases, in this process."""
    write_set(folder, cases)
    config = write_config(folder, url, **settings)
    out = folder / "out"
    capsys.readouterr()
    started = time.monotonic()
    code = main(["run", "--config", str(config), "--out", str(out), *arguments])
    seconds = time.monotonic() - started
    captured = capsys.readouterr()
    return Ran(int(code), captured.out, captured.err, out, seconds)


def command_line(folder: Path, url: str, cases: int, **settings: Any) -> list[str]:
    """Arguments of ``ragproof`` for a run as :func:`run` makes it."""
    write_set(folder, cases)
    config = write_config(folder, url, **settings)
    return ["run", "--config", str(config), "--out", str(folder / "out")]
