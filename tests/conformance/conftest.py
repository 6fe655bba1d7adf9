"""Real data with published right values, from outside the repository."""

import fcntl
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from ragproof.cli import main

sys.path[:0] = [str(Path(__file__).parent)]

_DEFAULT = Path(__file__).parents[3] / "shared" / "data"
_LAB = Path(__file__).parents[3] / "shared" / "lab" / "servers"

_FAMILIES = {
    "P": "precision",
    "recall": "recall",
    "success": "hit",
    "recip_rank": "mrr",
    "map": "map",
    "map_cut": "map",
    "ndcg": "ndcg",
    "ndcg_cut": "ndcg",
}
_TREC_NAME = re.compile(r"(P|recall|success|map_cut|ndcg_cut)_([0-9]+)|(recip_rank|map|ndcg)")

Answer = Callable[[dict[str, Any]], dict[str, Any]]
"""From the body of a question to the body of its answer."""

Serve = Callable[[Answer], str]
"""Starts an endpoint that answers so; returns its address."""

Command = Callable[..., None]
"""Runs a ragproof command line in this process and checks its exit code (0)."""


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of conformance data; tests skip where it is absent."""
    folder = Path(os.environ.get("RAGPROOF_CONFORMANCE_DATA") or _DEFAULT)
    if not folder.is_dir():
        pytest.skip(
            f"no conformance data in {folder}: set RAGPROOF_CONFORMANCE_DATA to their folder"
        )
    return folder


@pytest.fixture(scope="session")
def lab() -> Path:
    """The folder of the servers' start scripts."""
    if not _LAB.is_dir():
        pytest.skip(f"no servers in {_LAB}")
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"starting the servers takes {program}")
    return _LAB


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """A folder that outlives the tests: what they install is installed once.

    One session of tests has it at a time; another waits.
    """
    folder = Path(
        os.environ.get("RAGPROOF_LAB_CACHE") or Path(tempfile.gettempdir()) / "ragproof-lab"
    )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """For programs in environments of their own: nothing that leads Python back to this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="session")
def ours() -> Callable[[str], str | None]:
    """The name here of a measure of trec_eval; ``None`` for those that are not measured."""

    def translate(name: str) -> str | None:
        match = _TREC_NAME.fullmatch(name)
        if match is None:
            return None
        family, k = match[1] or match[3], match[2]
        return f"retrieval.{_FAMILIES[family]}" + (f"@{k}" if k else "")

    return translate


@pytest.fixture
def ragproof(monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command line, going past any proxy on loopback."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")

    def run(*arguments: str | Path, exit_code: int = 0) -> None:
        assert main([str(one) for one in arguments]) == exit_code, arguments

    return run


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Endpoints on loopback, stopped when the test ends."""
    with ExitStack() as running:
        yield lambda answer: running.enter_context(_serving(answer))


@contextmanager
def _serving(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            raw = json.dumps(answer(body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
