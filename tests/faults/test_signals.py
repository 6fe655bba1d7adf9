"""Cancelled or killed: what was measured is there, and says that it is not all."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faultserver import Behaviour, FaultServer, Request, Wire, reply
from running import ANSWER, GOOD, command_line

from ragproof.results.responses import ResponsesReader

ANSWERED = 4
CASES = 12


def answers_some(slow: Callable[[Wire], None]) -> Behaviour:
    """Answers a few questions, then goes on as ``slow`` does."""

    def behave(wire: Wire, request: Request) -> bool:
        if request.count <= ANSWERED:
            wire.send(reply(GOOD))
            return True
        slow(wire)
        return False

    return behave


def drip(wire: Wire) -> None:
    wire.send(reply(b"", length=1000))
    wire.drip(b" " * 1000, 0.2)


def busy(wire: Wire) -> None:
    wire.send(reply(b"", "503 Busy", {"Retry-After": "30"}))


def _wait_until(true: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    ends = time.monotonic() + 20
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends
        time.sleep(0.01)


@contextlib.contextmanager
def running(
    folder: Path, behaviour: Behaviour, **settings: object
) -> Iterator["tuple[subprocess.Popen[str], FaultServer]"]:
    """``python -m ragproof run`` as a process of its own, some cases answered."""
    with FaultServer({"/q": behaviour}) as server:
        arguments = command_line(
            folder, f"{server.url}/q", CASES, concurrency=2, timeout=60.0, max_wait=60.0, **settings
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "ragproof", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "RAGPROOF_TOKEN": "s3cr3t-t0k3n"},
        )
        part = folder / "out" / "responses.jsonl.part"

        def begun() -> bool:
            # Two calls are in flight beside those whose answers are on the disk.
            written = part.exists() and part.read_bytes().count(b"\n") == 1 + ANSWERED
            return written and len(server.requests) >= ANSWERED + 2

        try:
            _wait_until(begun, process)
            yield process, server
        finally:
            process.kill()
            process.communicate()


@pytest.mark.parametrize(
    ("slow", "number"),
    [
        (Wire.hang, signal.SIGINT),
        (Wire.hang, signal.SIGTERM),
        (drip, signal.SIGTERM),
        (busy, signal.SIGINT),
    ],
)
def test_a_signal_leaves_partial_results(
    slow: Callable[[Wire], None], number: signal.Signals, tmp_path: Path
) -> None:
    with running(tmp_path, answers_some(slow)) as (process, server):
        started = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
        assert time.monotonic() - started < 5
        asked = len(server.requests)
    assert process.returncode == 128 + number
    assert "cancelled" in err
    assert "Traceback" not in out + err
    assert asked == ANSWERED + 2
    folder = tmp_path / "out"
    run = json.loads((folder / "run.json").read_text())
    assert run["complete"] is False
    assert run["verdict"] == "error"
    assert run["counts"]["pass"] == ANSWERED
    assert run["counts"]["error"] == CASES - ANSWERED
    reader = ResponsesReader(folder / "responses.jsonl")
    assert [saved.bodies["answer"] for saved in reader] == [ANSWER] * ANSWERED
    assert reader.tail.complete is False
    assert not list(folder.glob("*.part"))
    assert {path.name for path in folder.iterdir()} >= {"report.md", "junit.xml"}


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with running(tmp_path, answers_some(Wire.hang)) as (process, _):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=5)
    assert process.returncode == 130
    assert "Traceback" not in out + err


def test_a_kill_leaves_the_old_results_and_whole_lines(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    old = {name: f"old {name}" for name in ("responses.jsonl", "run.json", "report.md")}
    for name, text in old.items():
        (out / name).write_text(text)
    with running(tmp_path, answers_some(Wire.hang)) as (process, _):
        process.kill()
        process.communicate(timeout=5)
    assert process.returncode == -signal.SIGKILL
    for name, text in old.items():
        assert (out / name).read_text() == text
    part = out / "responses.jsonl.part"
    lines = part.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + ANSWERED
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)
    reader = ResponsesReader(part)
    assert [saved.bodies["answer"] for saved in reader] == [ANSWER] * ANSWERED
    assert reader.tail.complete is False


def test_a_secret_is_no_argument_of_the_process(tmp_path: Path) -> None:
    headers = {"Authorization": "Bearer ${RAGPROOF_TOKEN}"}
    with running(tmp_path, answers_some(Wire.hang), headers=headers) as (process, server):
        arguments = Path(f"/proc/{process.pid}/cmdline")
        if not arguments.exists():
            pytest.skip("no /proc here")
        assert b"s3cr3t" not in arguments.read_bytes()
        assert server.requests[0].headers["authorization"] == "Bearer s3cr3t-t0k3n"
