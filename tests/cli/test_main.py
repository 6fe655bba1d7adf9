"""What every command has in common: exit codes, help, and output that cannot be written."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ragproof.cli import _COMMANDS, cli, console, main
from ragproof.redact import Redactor
from ragproof.version import __version__

Ragproof = Callable[..., Any]

COMMANDS = {name: cli.get_command(click.Context(cli), name) for name in _COMMANDS}


def test_version(ragproof: Ragproof) -> None:
    for option in ("--version", "-V"):
        done = ragproof(option)
        assert (done.code, done.out) == (0, f"ragproof, version {__version__}\n")


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_is_complete(ragproof: Ragproof, name: str) -> None:
    command = COMMANDS[name]
    assert command is not None
    assert command.short_help
    assert command.help
    assert command.help.rstrip().endswith(".")
    done = ragproof(name, "--help")
    assert done.code == 0
    assert ragproof(name, "-h").out == done.out
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts} has no help"
            assert parameter.opts[0] in done.out
        else:
            assert parameter.make_metavar(click.Context(command)) in done.out


def test_help_lists_every_command(ragproof: Ragproof) -> None:
    done = ragproof("--help")
    assert done.code == 0
    assert [name for name in _COMMANDS if f"\n  {name} " in done.out] == list(_COMMANDS)
    assert "Exit codes: 0 the gate passed" in done.out


def test_no_command_shows_the_help_and_is_no_success(ragproof: Ragproof) -> None:
    done = ragproof()
    assert done.code == 3
    assert "Usage: ragproof" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rum"], "No such command 'rum'. Did you mean 'run'?"),
        (["freez", "x"], "Did you mean 'freeze'?"),
        (["zzz"], "No such command 'zzz'."),
        (["run", "--datset", "x"], "--dataset"),
        (["run", "--outt", "x"], "--out"),
        (["--verson"], "--version"),
        (["freeze"], "Missing argument 'DATASET'"),
        (["freeze", "a", "b"], "unexpected extra argument"),
        (["diff", "a"], "Missing argument 'NEW'"),
        (["run", "--out"], "requires an argument"),
        (["run", "--no-gate=1"], "does not take a value"),
        (["demo", "--port", "x"], "Invalid value for '--port'"),
        (["run", "::error::x"], "unexpected extra argument"),
        (["\n::error::x"], "No such command"),
    ],
)
def test_usage_errors(ragproof: Ragproof, arguments: list[str], message: str) -> None:
    done = ragproof(*arguments)
    assert done.code == 3
    assert done.err.startswith("error: ")
    assert message in done.err
    assert "  hint: see `ragproof" in done.err


def test_a_fault_of_ours(ragproof: Ragproof, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    from ragproof.dataset import load

    def broken(path: Path, **_: Any) -> None:
        raise ZeroDivisionError(f"x\n::error::{path}")

    monkeypatch.setattr(load, "load_dataset", broken)
    done = ragproof("verify", "dataset.jsonl")
    assert done.code == 2
    assert done.err.startswith("error: unexpected ZeroDivisionError at test_main.py:")
    assert "please report it" in done.err


def test_a_fault_of_ours_in_full(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    from ragproof.dataset import load

    monkeypatch.setattr(load, "load_dataset", None)
    monkeypatch.setenv("RAGPROOF_DEBUG", "1")
    assert main(["verify", "dataset.jsonl"]) == 2
    assert "Traceback (most recent call last)" in capfd.readouterr().err


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_interrupted(
    ragproof: Ragproof, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    from ragproof.dataset import load

    def interrupted(path: Path, **_: Any) -> None:
        raise error

    monkeypatch.setattr(load, "load_dataset", interrupted)
    done = ragproof("freeze", "dataset.jsonl")
    assert (done.code, done.err) == (130, "error: interrupted\n")


def open_files(pid: int) -> Iterator[str]:
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            yield str(handle.readlink())


def test_interrupted_while_a_dataset_is_read(folder: Path) -> None:
    row = json.dumps({"question": "q" * 200, "expected_source_ids": ["x"]})
    with (folder / "big.jsonl").open("w") as file:
        for number in range(60_000):
            file.write(row.replace('{"', f'{{"id": "{number}", "', 1) + "\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "ragproof", "freeze", "big.jsonl"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 20
    while not any(path.endswith("big.jsonl") for path in open_files(process.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err.strip()) == (130, "error: interrupted")
    assert not (folder / "big.frozen.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [["schema"], ["--help"], ["run", "--help"], ["diff", "dataset.jsonl", "none.jsonl"]],
)
def test_output_that_nobody_reads(folder: Path, arguments: list[str]) -> None:
    row = {"question": "?", "expected_source_ids": ["x"]}
    rows = (json.dumps({"id": f"{number:0200}", **row}) for number in range(2000))
    (folder / "none.jsonl").write_text("\n".join(rows))
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "ragproof", *arguments],
        cwd=folder,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (2, "")


def test_a_reader_that_has_enough(folder: Path) -> None:
    command = f"{sys.executable} -m ragproof schema | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.startswith("{\n")
    assert done.stdout.split()[-1] in "02"


def test_errors_that_nobody_reads(spawn: Ragproof) -> None:
    read, write = os.pipe()
    os.close(read)
    assert spawn("verify", "missing", stderr=write).returncode == 3
    os.close(write)


@pytest.mark.parametrize("arguments", [["schema"], ["--help"], ["--version"]])
def test_output_on_a_full_disk(spawn: Ragproof, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = spawn(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write to standard output: No space left")


def test_no_output_at_all(folder: Path) -> None:
    command = f"{sys.executable} -m ragproof verify dataset.frozen.json >&- 2>&-"
    done = subprocess.run(["bash", "-c", command], cwd=folder, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("latin-1", "\\u6f22é"), ("cp1252", "\\u6f22é"), ("utf-8", "漢é"), ("gbk", "漢é")],
)
def test_any_encoding_of_the_terminal(
    spawn: Ragproof, cases: Callable[..., Path], encoding: str, shown: str
) -> None:
    old, new = cases({"id": "漢é"}), "dataset.jsonl"
    done = spawn("diff", old, new, env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"- {shown}"


def test_colours(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, unless it is asked not to."""
    import pty

    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        controller, terminal = pty.openpty()
        subprocess.run(
            [sys.executable, "-m", "ragproof", "verify", "missing"],
            cwd=folder,
            stderr=terminal,
            env={key: one for key, one in os.environ.items() if key != "NO_COLOR"} | env,
            check=False,
        )
        os.close(terminal)
        shown = os.read(controller, 10_000)
        os.close(controller)
        assert (b"\x1b[" in shown) is coloured


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\::error::x"),
        ("  \t::error::x", "  \t\\::error::x"),
        ("a\n::error::x", "a\n\\::error::x"),
        ("a ::error::x", "a ::error::x"),
        ("##[group]x", "##\\[group]x"),
        ("\x1b[0m\r::x", "\\u001b[0m\\u000d::x"),
        ("\u200b::x", "\\u200b::x"),
        ("\u3000::x", "\u3000\\::x"),
        ("C++ std::vector", "C++ std::vector"),
    ],
)
def test_harmless(text: str, shown: str) -> None:
    assert console.harmless(text) == shown


def test_one_line() -> None:
    assert console.one_line(" a\n\tb\r\n ") == "a b"
    assert console.one_line("x" * 70, 60) == "x" * 60 + "..."


LAZY = ("pydantic", "requests", "yaml", "jinja2", "sqlite3", "jsonpath_rfc9535", "urllib3")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], []])
def test_starting_imports_nothing_heavy(spawn: Ragproof, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ragproof", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert imported(done.stderr).isdisjoint(LAZY)


def imported(importtime: str) -> set[str]:
    rows = [line for line in importtime.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in rows}


def test_a_run_asks_before_it_imports_what_reports_need(folder: Path) -> None:
    """The endpoint's first request comes from a process that has imported neither."""
    code = """
import sys, socket, threading
from ragproof.cli import main
seen = []
listener = socket.create_server(("127.0.0.1", 0))
def answer():
    connection, _ = listener.accept()
    seen.extend(name for name in ("jinja2", "jsonpath_rfc9535", "sqlite3") if name in sys.modules)
    seen.append("asked")
    connection.close()
    listener.close()
threading.Thread(target=answer, daemon=True).start()
url = f"http://127.0.0.1:{listener.getsockname()[1]}/query"
main(["run", "--endpoint", url, "--limit", "1", "--no-gate"])
print(seen, file=sys.stderr)
"""
    path = folder / "ragproof.yml"
    path.write_text(path.read_text().replace("timeout: 10", "timeout: 10\n  retries: 0"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "['asked']"


def test_secrets_of_an_outer_block_stay_secret(capsys: pytest.CaptureFixture[str]) -> None:
    console.keep_secret(Redactor(["outer-secret"]))
    with console.more_secrets():
        console.keep_secret(Redactor(["inner-secret"]))
        console.say("outer-secret inner-secret")
    console.say("outer-secret inner-secret")
    assert capsys.readouterr().out == "*** ***\n*** inner-secret\n"
