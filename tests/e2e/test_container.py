"""The image in the hands of an engine alone, as the runner starts it."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from stage import DEMO, LABEL

from ragproof.version import __version__

OWNER = 1001


class _Slow(BaseHTTPRequestHandler):
    """Answers after a while, so that a run can be met half way."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        time.sleep(0.4)
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"answer": "no", "chunks": [], "citations": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.server.answered += 1  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        pass


class SlowServer(ThreadingHTTPServer):
    answered = 0

    def handle_error(self, *_: object) -> None:
        """A run that is cancelled closes its connections."""


@pytest.fixture
def slow() -> Iterator[SlowServer]:
    with SlowServer(("127.0.0.1", 0), _Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace that belongs to whom it belongs to on a hosted runner."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    for name in ("ragproof.yml", "dataset.frozen.json"):
        (folder / name).write_bytes((DEMO / name).read_bytes())
    if os.geteuid() == 0:
        for path in (folder, *folder.iterdir()):
            os.chown(path, OWNER, OWNER)
    return folder


def command(image: str, workspace: Path, *arguments: str, **inputs: str) -> list[str]:
    """The runner's own command: its mounts, its variables, no user, no init."""
    files = workspace.parent / "files"
    files.mkdir(exist_ok=True)
    for name in ("output", "summary"):
        (files / name).touch()
    variables = {
        "GITHUB_ACTIONS": "true",
        "CI": "true",
        "HOME": "/github/home",
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_OUTPUT": "/github/file_commands/output",
        "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
        "GITHUB_EVENT_NAME": "push",
        **{f"INPUT_{name.upper().replace('_', '-')}": text for name, text in inputs.items()},
    }
    given = [part for name, text in variables.items() for part in ("-e", f"{name}={text}")]
    return [
        *("docker", "run", "--rm", "--label", LABEL, "--network", "host", *given),
        *("--workdir", "/github/workspace"),
        *("-v", f"{workspace}:/github/workspace", "-v", f"{files}:/github/file_commands"),
        *(image, *arguments),
    ]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, text=True, capture_output=True, timeout=120, check=False)


def test_it_is_of_this_version(image: str, workspace: Path) -> None:
    done = run(command(image, workspace, "--version"))
    assert done.stdout.split()[-1] == __version__
    label = '{{index .Config.Labels "org.opencontainers.image.version"}}'
    shown = run(["docker", "image", "inspect", "--format", label, image])
    assert shown.stdout.strip() == __version__


def test_nothing_that_builds_is_left(image: str) -> None:
    """Of ours: the base image brings a pip of its own."""
    script = "cd /opt/ragproof && find . -name 'pip*' -path '*site-packages/pip*' ; ls /build /opt"
    listed = run(["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", script])
    assert listed.stdout.split() == ["/opt:", "ragproof"]
    found = run(["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", "command -v gcc cc"])
    assert found.stdout == ""


def test_everything_is_compiled(image: str) -> None:
    """A module without bytecode would be compiled again at each start, and lost with it."""
    script = (
        "from importlib.util import cache_from_source as cache; from pathlib import Path;"
        "found = list(Path('/opt/ragproof/lib').rglob('*.py'));"
        "print(len(found) > 500, [path for path in found if not Path(cache(path)).exists()])"
    )
    python = ["docker", "run", "--rm", "--entrypoint", "/opt/ragproof/bin/python", image]
    assert run([*python, "-I", "-c", script]).stdout == "True []\n"


def test_documents_can_be_read(image: str) -> None:
    """What is left out of the readers' packages is nothing that they need."""
    script = (
        "import io, docx, pypdf; file = io.BytesIO(); made = docx.Document();"
        "made.add_heading('read'); made.add_table(1, 1).cell(0, 0).text = 'me'; made.save(file);"
        "again = docx.Document(file); pdf = pypdf.PdfWriter(); pdf.add_blank_page(9, 9);"
        "pdf.encrypt('', algorithm='AES-256'); out = io.BytesIO(); pdf.write(out);"
        "print(again.paragraphs[0].text, again.tables[0].cell(0, 0).text,"
        " len(pypdf.PdfReader(out).pages))"
    )
    python = ["docker", "run", "--rm", "--entrypoint", "/opt/ragproof/bin/python", image]
    done = run([*python, "-I", "-c", script])
    assert done.stdout == "read me 1\n", done.stderr


def test_the_layers_of_ours_are_small(image: str) -> None:
    def size(name: str) -> int:
        shown = run(["docker", "image", "inspect", "--format", "{{.Size}}", name])
        return int(shown.stdout)

    assert size(image) - size("python:3.13-slim") < 70_000_000


def test_what_it_writes_belongs_to_whoever_owns_the_workspace(
    image: str, workspace: Path, good: str
) -> None:
    done = run(command(image, workspace, endpoint=good, output_dir="deep/er/out"))
    assert done.returncode == 0, done.stdout + done.stderr
    written = [workspace / "deep", *(workspace / "deep").rglob("*")]
    assert {"run.json", "responses.jsonl", "report.md", "junit.xml"} <= {p.name for p in written}
    owner = (workspace.stat().st_uid, workspace.stat().st_gid)
    assert {(path.stat().st_uid, path.stat().st_gid) for path in written} == {owner}


def test_modules_of_the_workspace_are_not_imported(image: str, workspace: Path, good: str) -> None:
    for name in ("ragproof", "json", "sitecustomize", "usercustomize", "click"):
        (workspace / f"{name}.py").write_text("raise SystemExit('trapped')")
    started = command(image, workspace, endpoint=good)
    started[2:2] = ["-e", "PYTHONPATH=/github/workspace"]
    done = run(started)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "trapped" not in done.stdout + done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_cancelled_it_leaves_what_it_has(
    number: signal.Signals, code: int, image: str, workspace: Path, slow: SlowServer
) -> None:
    """The runner signals the engine's client, which passes it on."""
    url = f"http://127.0.0.1:{slow.server_port}/query"
    with subprocess.Popen(
        command(image, workspace, endpoint=url),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        deadline = time.monotonic() + 30
        while slow.answered < 8:
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        began = time.monotonic()
        process.send_signal(number)
        said, _ = process.communicate(timeout=30)
        took = time.monotonic() - began
    assert process.returncode == code, said
    assert took < 5
    head = json.loads((workspace / "ragproof-out" / "run.json").read_text("utf-8"))
    assert head["complete"] is False
    asked = [case for case in head["cases"] if case["outcome"] != "error"]
    assert 0 < len(asked) < 80
    summary = (workspace.parent / "files" / "summary").read_text("utf-8")
    assert "Incomplete run" in summary
    owner = workspace.stat().st_uid
    assert {path.stat().st_uid for path in (workspace / "ragproof-out").iterdir()} == {owner}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serving_ends_at_once(number: signal.Signals, image: str, workspace: Path) -> None:
    """The first process of a container ignores signals that it does not handle."""
    serve = command(image, workspace, "demo", "--serve", "--port", "0")
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "serving" in process.stdout.readline()
        began = time.monotonic()
        process.send_signal(number)
        try:
            process.wait(5)
        finally:
            process.kill()
    assert time.monotonic() - began < 5
