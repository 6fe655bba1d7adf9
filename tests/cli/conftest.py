"""The command line on real files against a real server on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragproof.cli import console, main
from ragproof.demo.server import DemoServer
from ragproof.redact import Redactor


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def server() -> Iterator[DemoServer]:
    with DemoServer() as running:
        yield running


@pytest.fixture(scope="session")
def worse() -> Iterator[DemoServer]:
    """The version that got worse."""
    with DemoServer(regress=True) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_secrets_of_the_test_before() -> Iterator[None]:
    yield
    console.keep_secret(Redactor())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the demo's configuration and dataset in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("ragproof.yml", "dataset.frozen.json", "dataset.jsonl"):
        source = resources.files("ragproof.demo").joinpath(name)
        (tmp_path / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


@pytest.fixture
def ragproof(capfd: pytest.CaptureFixture[str], folder: Path) -> Callable[..., Done]:
    """Run a command in this process; no output starts a workflow command."""

    def ragproof(*arguments: object) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(int(code), *capfd.readouterr())
        for line in (done.out + done.err).splitlines():
            assert not line.strip().startswith(("::", "##[")), line
        assert "Traceback" not in done.err
        return done

    return ragproof


@pytest.fixture
def ask(ragproof: Callable[..., Done], server: DemoServer) -> Callable[..., Done]:
    """``ragproof run`` against the demo server."""
    return lambda *more: ragproof("run", "--endpoint", f"{server.url}/query", *more)


@pytest.fixture
def spawn(folder: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run a command in a process of its own."""

    def spawn(
        *arguments: object, env: dict[str, str] | None = None, **options: Any
    ) -> "subprocess.CompletedProcess[str]":
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.run(
            [sys.executable, "-m", "ragproof", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, **(env or {})},
            text=True,
            check=False,
            timeout=60,
            **(streams | options),
        )

    return spawn


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory, server: DemoServer) -> Path:
    """The folder of a passing run against the demo server, to be read only."""
    folder = tmp_path_factory.mktemp("saved")
    assert main(["demo", "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def cases(folder: Path) -> Callable[..., Path]:
    """Write a dataset of these cases, given by what differs from the defaults."""

    def cases(*changes: dict[str, Any]) -> Path:
        path = folder / "cases.jsonl"
        default = {"question": "How long can I rent?", "expected_source_ids": ["x"]}
        rows = (json.dumps({"id": f"c{n}", **default, **one}) for n, one in enumerate(changes))
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path

    return cases


@pytest.fixture
def config(folder: Path) -> Callable[..., Path]:
    """Change the configuration: ``config("old", "new")``."""

    def config(*changes: str) -> Path:
        path = folder / "ragproof.yml"
        text = path.read_text(encoding="utf-8")
        for old, new in zip(changes[::2], changes[1::2], strict=True):
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        return path

    return config
