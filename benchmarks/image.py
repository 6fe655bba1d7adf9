"""What the image weighs, and what starting in it costs.

    python benchmarks/image.py [--image TAG] [--bare] [--runs N]

Weights are those of the layers that the Dockerfile adds to its base. Starting is the time from the
start of our process to the first question at the endpoint: in a container, on the host with a
Python of the same version (where there is one), and on the host with the very files of the image
(where root can change into them). What the engine needs before our process starts stands apart.

``--bare`` builds on a base without bytecode, as the published Python image is.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BASE = "python:3.13-slim"
BARE = "ragproof-bare:3.13-slim"
LIMIT_MB = 70
LIMIT_RATIO = 1.2
ENTRY = ("/opt/ragproof/bin/python", "-I", "/opt/ragproof/entrypoint.py")
# The shell says when it gives way to our process; both are one process to whoever waits for it.
STAMPED = ("sh", "-c", 'date +%s%N; exec "$@"', "sh")


class Start(NamedTuple):
    """Milliseconds: until our process starts, and from there to the first question."""

    before: float
    ours: float


class Endpoint(BaseHTTPRequestHandler):
    """Notes when the first question comes."""

    asked: list[int]

    def do_POST(self) -> None:
        self.asked.append(time.time_ns())
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"answer": "no", "chunks": [], "citations": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def endpoint() -> Iterator[tuple[str, list[int]]]:
    """An endpoint on this host, and the times at which it was asked."""
    asked: list[int] = []
    handler = type("Noting", (Endpoint,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/query", asked
        server.shutdown()


def output(*command: str) -> str:
    """What a command printed; it has to succeed."""
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def build(tag: str, *, bare: bool) -> str:
    """Build the image; return its base."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    if bare:
        strip = f'FROM {BASE}\nRUN find / -xdev -name "*.pyc" -delete\n'
        subprocess.run(["docker", "build", "-q", "-t", BARE, "-"], input=strip.encode(), check=True)
        text = text.replace(BASE, BARE)
    with tempfile.NamedTemporaryFile("w", suffix=".Dockerfile") as file:
        file.write(text)
        file.flush()
        subprocess.run(["docker", "build", "-q", "-t", tag, "-f", file.name, str(ROOT)], check=True)
    return BARE if bare else BASE


def layers(tag: str, base: str) -> list[tuple[float, str]]:
    """Megabytes and instruction of each layer that lies on the base, from below."""
    count = len(output("docker", "history", "-q", base).split())
    lines = output(
        "docker",
        "history",
        "--no-trunc",
        "--human=false",
        "--format",
        "{{.Size}}\t{{.CreatedBy}}",
        tag,
    ).splitlines()[:-count]
    parts = (line.split("\t", 1) for line in reversed(lines))
    return [(int(size) / 1e6, text.removeprefix("/bin/sh -c #(nop) ")) for size, text in parts]


def on_disk_mb(tag: str) -> float:
    """Megabytes in blocks of the file system, which small files round up to."""
    used = output("docker", "run", "--rm", "--entrypoint", "du", tag, "-sk", "/opt/ragproof")
    return int(used.split()[0]) * 1024 / 1e6


def start(command: list[str], asked: list[int]) -> Start:
    """Run a command that asks; say when it started and when its first question came."""
    asked.clear()
    began = time.time_ns()
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if not asked:
        sys.exit(f"asked nothing:\n{done.stdout}{done.stderr}")
    stamp = int(done.stdout.split(maxsplit=1)[0])
    return Start((stamp - began) / 1e6, (asked[0] - stamp) / 1e6)


def same_python() -> str | None:
    """A Python of the image's version on this host, if one is there and runs."""
    found = shutil.which("python3.13")
    runs = found and subprocess.run([found, "-V"], check=False, capture_output=True).returncode == 0
    return found if runs else None


def commands(tag: str, folder: Path, url: str) -> dict[str, list[str]]:
    """The same run in three places."""
    run = ["action", "--config", f"{folder}/ragproof.yml", "--endpoint", url]
    run += ["--output-dir", f"{folder}/out"]
    found = {
        "container": [
            *("docker", "run", "--rm", "--network", "host", "-v", f"{folder}:{folder}"),
            *("--entrypoint", STAMPED[0], tag, *STAMPED[1:], *ENTRY, *run),
        ]
    }
    if python := same_python():
        venv = folder / "venv"
        output(python, "-m", "venv", str(venv))
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-q"]
        output(*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "image.txt"))
        output(*pip, "--no-deps", str(ROOT))
        entry = [str(venv / "bin" / "python"), "-I", str(ROOT / "entrypoint.py")]
        found["host"] = [*STAMPED, *entry, *run]
    if os.geteuid() == 0:
        files = folder / "files"
        files.mkdir()
        box = output("docker", "create", tag).strip()
        with subprocess.Popen(["docker", "export", box], stdout=subprocess.PIPE) as exported:
            subprocess.run(["tar", "-x", "-C", files], stdin=exported.stdout, check=True)
        output("docker", "rm", box)
        inside = files / folder.relative_to("/")
        inside.mkdir(parents=True)
        for name in ("ragproof.yml", "dataset.frozen.json"):
            shutil.copy(folder / name, inside)
        # The loader of bytecode wants randomness, and nothing else of a system.
        (files / "dev").mkdir(exist_ok=True)
        found["same files"] = ["chroot", str(files), *STAMPED, *ENTRY, *run]
    return found


def measure(tag: str, runs: int) -> dict[str, list[Start]]:
    """Starts in each place, taken in turns so that a busy machine is busy for all."""
    with tempfile.TemporaryDirectory() as name, endpoint() as (url, asked):
        folder = Path(name)
        for file in ("ragproof.yml", "dataset.frozen.json"):
            shutil.copy(ROOT / "src" / "ragproof" / "demo" / file, folder)
        places = commands(tag, folder, url)
        taken: dict[str, list[Start]] = {place: [] for place in places}
        for turn in range(runs + 1):
            for place, command in places.items():
                measured = start(command, asked)
                if turn:  # the first fills the caches
                    taken[place].append(measured)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--image", default="ragproof:bench", help="tag to build and measure")
    parser.add_argument("--bare", action="store_true", help="build on a base without bytecode")
    parser.add_argument("--runs", type=int, default=15)
    chosen = parser.parse_args()
    base = build(chosen.image, bare=chosen.bare)
    ours = layers(chosen.image, base)
    total = sum(size for size, _ in ours)
    for size, text in ours:
        if size >= 0.001:
            print(f"{size:8.1f} MB  {text[:80]}")
    print(
        f"{total:8.1f} MB  our layers (limit {LIMIT_MB}); {on_disk_mb(chosen.image):.1f} in blocks"
    )
    taken = measure(chosen.image, chosen.runs)
    middle = {place: statistics.median(each.ours for each in all_) for place, all_ in taken.items()}
    for place, all_ in taken.items():
        low, high = min(each.ours for each in all_), max(each.ours for each in all_)
        span = f"{middle[place]:6.0f} ms ({low:.0f} to {high:.0f})"
        print(f"{place:10}  {span}  container: {middle['container'] / middle[place]:.2f}x")
    engine = statistics.median(each.before for each in taken["container"])
    print(f"engine      {engine:6.0f} ms before our process starts")
    against = middle.get("host", middle.get("same files", middle["container"]))
    return int(total > LIMIT_MB or middle["container"] / against > LIMIT_RATIO)


if __name__ == "__main__":
    sys.exit(main())
