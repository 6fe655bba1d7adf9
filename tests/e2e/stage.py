"""A repository that uses the action, and a runner of workflows that runs it in containers."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "src" / "ragproof" / "demo"
ACT = Path(sys.executable).parent / "act"
BASE = "python:3.13-slim"
LABEL = "ragproof-e2e"
REPOSITORY = "octo-org/octo-repo"
HEAD, BASE_SHA, STRICTER = "a" * 40, "b" * 40, "c" * 40
WRITING, READING = "token-that-may-write-0123456789", "token-that-may-read-0123456789"
_OUTER = ("GITHUB_", "RUNNER_", "ACTIONS_", "INPUT_")  # of the workflow that runs these tests
_CONTEXT = ("Dockerfile", ".dockerignore", "action.yml", "entrypoint.py", "pyproject.toml")
_TEXTS = ("README.md", "LICENSE")
_FOLDERS = ("src", "requirements")

WORKFLOW = """\
name: gates
on: {event}
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - id: ragproof
        uses: ./
        with: {inputs}
      - if: always()
        env:
          OUTPUTS: ${{{{ toJSON(steps.ragproof.outputs) }}}}
          OUTCOME: ${{{{ steps.ragproof.outcome }}}}
          GH_TOKEN: ${{{{ github.token }}}}
        run: {later}
"""
KEEP = """printf '%s' "$OUTPUTS" >outputs.json"""


def checked(verdict: str) -> str:
    """A later step that checks what our own workflow checks on GitHub's runners."""
    return f"python3 .github/selftest.py {verdict} && {KEEP}"


class Annotation(NamedTuple):
    """What a step said about itself or a line of a file."""

    level: str
    message: str
    place: dict[str, str]


class Ran(NamedTuple):
    """What a run of a workflow came to. ``code`` is that of the action's container."""

    ok: bool
    code: int
    outputs: dict[str, str]
    summary: str
    annotations: list[Annotation]
    log: str
    folder: Path

    def run(self, folder: str = "ragproof-out") -> dict[str, Any]:
        run: dict[str, Any] = json.loads((self.folder / folder / "run.json").read_text("utf-8"))
        return run


def make_repository(folder: Path) -> Path:
    """A repository that holds the action, the demo's configuration and its set."""
    folder.mkdir(parents=True)
    for name in (*_CONTEXT, *_TEXTS):
        shutil.copy(ROOT / name, folder)
    for name in _FOLDERS:
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=leave)
    (folder / ".github" / "workflows").mkdir(parents=True)
    shutil.copy(ROOT / ".github" / "selftest.py", folder / ".github")
    for name in ("ragproof.yml", "dataset.jsonl", "dataset.frozen.json"):
        shutil.copy(DEMO / name, folder)
    git = ["git", "-C", str(folder), "-c", "user.name=octo", "-c", "user.email=octo@localhost"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "All"], check=True)
    return folder


def act(
    folder: Path,
    event: str,
    inputs: Mapping[str, str],
    *,
    payload: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    token: str = WRITING,
    network: str = "host",
    later: str = KEEP,
    workflow: str = "",
) -> Ran:
    """Run a workflow that uses the action on an event: this one, or one with these inputs."""
    text = workflow or WORKFLOW.format(
        event=event, inputs=json.dumps(dict(inputs)), later=json.dumps(later)
    )
    (folder / ".github" / "workflows" / "gates.yml").write_text(text)
    (folder / "event.json").write_text(json.dumps(payload or {}))
    (folder / "outputs.json").unlink(missing_ok=True)
    command = [
        *(str(ACT), event, "--json", "--rm", "--bind", "--pull=false", "--network", network),
        *("--eventpath", "event.json", "--platform", f"ubuntu-latest={BASE}"),
        *("--secret", f"GITHUB_TOKEN={token}", "--env", f"GITHUB_REPOSITORY={REPOSITORY}"),
    ]
    for name, value in (env or {}).items():
        command += ["--env", f"{name}={value}"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith(_OUTER)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    ours = [line for line in lines if line.get("stepID") == ["ragproof"]]
    ended = [line["stepResult"] for line in ours if "stepResult" in line]
    assert ended, done.stdout
    said = [line for line in ours if line.get("command") not in ("summary", "set-output")]
    log = "".join(line["msg"] if line.get("raw_output") else f"{line['msg']}\n" for line in said)
    failed = re.search(r"exit with `FAILURE`: (\d+)", log)
    notes = [line for line in said if line.get("command") in ("error", "warning", "notice")]
    kept = folder / "outputs.json"
    return Ran(
        ok=done.returncode == 0 and ended == ["success"],
        code=int(failed[1]) if failed else 0,
        outputs=json.loads(kept.read_text("utf-8")) if kept.exists() else {},
        summary="".join(line["content"] for line in ours if line.get("command") == "summary"),
        annotations=[Annotation(one["command"], one["arg"], one["kvPairs"] or {}) for one in notes],
        log=log,
        folder=folder,
    )


class GithubServer:
    """A GitHub as a process of its own, on all addresses of this host.

    ``more`` is what it holds beside, or instead of, what most tests need."""

    def __init__(self, folder: Path, more: Mapping[str, Any] | None = None) -> None:
        pulls = [
            {"number": 7, "head_sha": HEAD},
            {"number": 8, "head_sha": HEAD, "head_repository": "stranger/octo-repo"},
        ]
        read = {"pull-requests": "read", "contents": "read"}
        tokens: dict[str, dict[str, Any]] = {
            WRITING: {},
            READING: {"permissions": read},
        }
        files = {
            name: (DEMO / name).read_text("utf-8")
            for name in ("ragproof.yml", "dataset.frozen.json")
        }
        strict = files["ragproof.yml"].replace("recall@5: {min: 0.9}", "recall@5: {min: 0.99}")
        commits = {BASE_SHA: files, STRICTER: {**files, "ragproof.yml": strict}}
        start = {"repository": REPOSITORY, "pulls": pulls, "tokens": tokens, "commits": commits}
        (folder / "start.json").write_text(json.dumps({**start, **(more or {})}))
        script = ROOT / "tests" / "github" / "server.py"
        self._process = subprocess.Popen(
            [sys.executable, script, "--host", "0.0.0.0", "--start", folder / "start.json"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port: int = json.loads(self._process.stdout.readline())["port"]

    def url(self, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}"

    def state(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url()}/_state", timeout=10) as reply:
            state: dict[str, Any] = json.load(reply)
        return state

    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.state()["comments"]
        return found

    def close(self) -> None:
        assert self._process.stdout is not None
        self._process.terminate()
        self._process.wait(10)
        self._process.stdout.close()


def pull_request(*, fork: bool = False, base: str = BASE_SHA) -> dict[str, Any]:
    """The payload of an event about pull request 7."""
    head = "stranger/octo-repo" if fork else REPOSITORY
    return {
        "action": "synchronize",
        "number": 7,
        "pull_request": {
            "number": 7,
            "head": {"sha": HEAD, "ref": "topic", "repo": {"full_name": head, "fork": fork}},
            "base": {"sha": base, "ref": "main", "repo": {"full_name": REPOSITORY}},
        },
        "repository": {"full_name": REPOSITORY},
    }


def merge_group() -> dict[str, Any]:
    """The payload of an event about a group in the merge queue."""
    group = {"head_sha": HEAD, "base_sha": BASE_SHA, "head_ref": "refs/heads/gh-readonly-queue/a"}
    return {"action": "checks_requested", "merge_group": group}


def workflow_run() -> dict[str, Any]:
    """The payload of an event about a run for pull request 8, from a fork."""
    return {
        "action": "completed",
        "workflow_run": {
            "id": 4711,
            "run_attempt": 1,
            "name": "ragproof",
            "event": "pull_request",
            "conclusion": "failure",
            "head_sha": HEAD,
            "head_branch": "topic",
            "head_repository": {"full_name": "stranger/octo-repo"},
            "html_url": f"https://github.com/{REPOSITORY}/actions/runs/4711",
        },
        "repository": {"full_name": REPOSITORY},
    }
