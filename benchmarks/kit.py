"""The endpoint, the datasets and the bare loops that measurements are made with.

They come from a kit beside the repository (``RAGPROOF_BENCH_KIT``), copied to a cache folder
(``RAGPROOF_BENCH_HOME``) with a virtual environment for each of its tools and one for ragproof,
installed from this checkout.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple, Self

ROOT = Path(__file__).resolve().parents[1]
KIT = Path(os.environ.get("RAGPROOF_BENCH_KIT") or ROOT.parent / "shared" / "lab" / "bench")
HOME = Path(os.environ.get("RAGPROOF_BENCH_HOME") or Path(tempfile.gettempdir()) / "ragproof-bench")
PORT = 8700
URL = f"http://127.0.0.1:{PORT}"
OURS = HOME / "venvs" / "ours" / "bin"
CLIENTS = HOME / "venvs" / "clients" / "bin" / "python"

CONFIG = """\
dataset: {dataset}
k: 10
endpoint:
  url: {url}/query
  body: {{question: "{{{{ question }}}}"}}
  concurrency: {concurrency}
  response:
    answer: $.answer
    citations: $.citations
    chunks: $.chunks
    chunk: {{id: $.id, text: $.text, score: $.score, document_id: $.metadata.document_id}}
gate:
  thresholds:
    retrieval.recall@10: {{min: 0.1}}
    retrieval.ndcg@10: {{min: 0.1}}
    retrieval.mrr: {{min: 0.1}}
    robustness.injection_resistance: {{min: 0.1}}
"""


class Usage(NamedTuple):
    """What a finished process took: seconds of wall clock and processor, MB at its peak."""

    wall: float
    cpu: float
    peak_mb: float
    output: str


def prepare() -> None:
    """Copy the kit and make the environments, where that is still to be done."""
    if not KIT.is_dir():
        sys.exit(f"no benchmark kit in {KIT}: name its folder with RAGPROOF_BENCH_KIT")
    HOME.mkdir(parents=True, exist_ok=True)
    for path in KIT.rglob("*"):
        target = HOME / path.relative_to(KIT)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif not target.exists():
            shutil.copyfile(path, target)
    subprocess.run(["bash", HOME / "setup.sh"], check=True, cwd=HOME)
    if not (OURS / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", OURS.parent], check=True)
        _pip("install", "-q", "pytrec-eval-terrier")
    _pip("install", "-q", "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt"))
    _pip("install", "-q", "--no-deps", "--force-reinstall", str(ROOT))
    subprocess.run([OURS / "ragproof", "--version"], check=True, capture_output=True)


def _pip(*arguments: str) -> None:
    subprocess.run([OURS / "python", "-m", "pip", *arguments], check=True)


def dataset(cases: int) -> Path:
    """The kit's dataset of so many cases."""
    path = HOME / "data" / f"cases-{cases}.jsonl"
    if not path.exists():
        subprocess.run(
            [CLIENTS, HOME / "make_dataset.py", str(cases)],
            check=True,
            cwd=HOME,
            stdout=subprocess.DEVNULL,
        )
    return path


def config(cases: int, concurrency: int) -> Path:
    """A configuration that asks the kit's endpoint."""
    path = HOME / f"ragproof-{cases}-{concurrency}.yml"
    path.write_text(CONFIG.format(dataset=dataset(cases), url=URL, concurrency=concurrency))
    return path


def run(*command: object) -> Usage:
    """Run a process to its end on the first processor, and measure it."""
    pinned = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    started = time.perf_counter()
    process = subprocess.Popen(
        [*pinned, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=HOME,
        text=True,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def floor(name: str, cases: int, concurrency: int) -> tuple[Usage, float]:
    """A bare loop of the kit: what it took, and the processor seconds of its loop alone."""
    usage = run(
        CLIENTS,
        HOME / "floor.py",
        name,
        "--url",
        f"{URL}/query",
        "--dataset",
        dataset(cases),
        "-c",
        concurrency,
    )
    return usage, float(json.loads(usage.output.splitlines()[-1])["cpu_s"])


def ours(cases: int, concurrency: int, *options: object) -> Usage:
    """A whole ``ragproof run``."""
    return run(
        OURS / "ragproof",
        "run",
        "--config",
        config(cases, concurrency),
        "--out",
        HOME / f"out-{cases}",
        *options,
    )


class Server:
    """The kit's endpoint, on the second processor."""

    def __enter__(self) -> Self:
        pinned = ["taskset", "-c", "1"] if shutil.which("taskset") else []
        python = HOME / "venvs" / "server" / "bin" / "python"
        self._process = subprocess.Popen(
            [*pinned, python, HOME / "server.py", "--port", str(PORT)],
            stdout=subprocess.PIPE,
            cwd=HOME,
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            sys.exit(f"the endpoint did not start: is port {PORT} taken?")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def reset(self, cases: int, latency_ms: int = 0) -> None:
        """Make the answers ready and set the latency."""
        self._call(f"/_reset?warm=/query:{cases}&latency={latency_ms}")

    def span(self) -> float:
        """Seconds from the first request to the last response since the reset."""
        return float(self._call("/_stats", method="GET")["span_s"])

    @staticmethod
    def _call(path: str, method: str = "POST") -> dict[str, float]:
        request = urllib.request.Request(URL + path, method=method)
        with urllib.request.urlopen(request, timeout=300) as response:
            return dict(json.load(response))
