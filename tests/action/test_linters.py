"""What `make check` runs over the action's files finds what is bad about a bad file."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ACTION = """
name: x
description: x
inputs:
  a:
    descripton: misspelt
runs:
  using: docker
  image: Dockerfile
"""

WORKFLOW = """
name: x
on: {trigger}
permissions: {{}}
jobs:
  a:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - {step}
"""
TITLE = "run: echo ${{ github.event.pull_request.title }}"
DOCKERFILE = "FROM python\nRUN cd /tmp && pip install requests\nENTRYPOINT python -m x\n"


def commands() -> dict[str, list[str]]:
    """The linters' commands as `make check` runs them, by tool."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    listed = subprocess.run(
        ["make", "--dry-run", "check"], cwd=ROOT, text=True, capture_output=True, check=True
    )
    found: dict[str, list[str]] = {}
    for line in listed.stdout.splitlines():
        words = shlex.split(line) if re.match(r"\S+/bin/", line) else [""]
        tool = Path(words[0]).name
        key = tool if tool != "check-jsonschema" else words[2]
        found[key] = [str(Path(sys.executable).parent / tool), *words[1:]]
    return found


def lint(tool: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a linter as `make check` does, but over this file."""
    words = [word for word in commands()[tool] if not word.endswith((".yml", "Dockerfile"))]
    if "--config" in words:
        words.insert(words.index("--config") + 1, str(ROOT / ".github" / "zizmor.yml"))
    return subprocess.run([*words, str(path)], text=True, capture_output=True, check=False)


def workflow(folder: Path, step: str, trigger: str = "push", name: str = "a.yml") -> Path:
    path = folder / name
    path.write_text(WORKFLOW.format(step=step, trigger=trigger))
    return path


def test_a_bad_action_is_found(tmp_path: Path) -> None:
    path = tmp_path / "action.yml"
    path.write_text(ACTION)
    done = lint("vendor.github-actions", path)
    assert done.returncode == 1
    assert "descripton" in done.stdout
    path.write_text(ACTION.replace("descripton", "description"))
    assert lint("vendor.github-actions", path).returncode == 0


def test_a_bad_workflow_is_found(tmp_path: Path) -> None:
    done = lint("vendor.github-workflows", workflow(tmp_path, "rum: echo"))
    assert done.returncode == 1
    assert "rum" in done.stdout
    assert lint("vendor.github-workflows", workflow(tmp_path, "run: echo")).returncode == 0


@pytest.mark.parametrize(
    ("step", "trigger", "rule"),
    [
        (TITLE, "pull_request", "template-injection"),
        ("run: echo", "pull_request_target", "dangerous-triggers"),
        ("run: echo", "{workflow_run: {workflows: [a], types: [completed]}}", "dangerous-triggers"),
        ("uses: actions/checkout@v6", "push", "unpinned-uses"),
        ("uses: OWNER/another-action@v1", "push", "unpinned-uses"),
        ("uses: OWNER/ragproof-action@main", "push", ""),
    ],
)
def test_a_dangerous_workflow_is_found(step: str, trigger: str, rule: str, tmp_path: Path) -> None:
    done = lint("zizmor", workflow(tmp_path, step, trigger))
    assert (done.returncode == 0) == (rule == "")
    assert rule in done.stdout


def test_only_the_named_workflow_may_follow_another(tmp_path: Path) -> None:
    trigger = "{workflow_run: {workflows: [a], types: [completed]}}"
    named = workflow(tmp_path, "run: echo", trigger, "fork-comment.yml")
    assert lint("zizmor", named).returncode == 0


def test_a_bad_dockerfile_is_found(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text(DOCKERFILE)
    done = lint("hadolint", path)
    assert done.returncode == 1
    assert {"DL3006", "DL3042", "DL3025"} <= set(done.stdout.replace(":", " ").split())


def test_all_our_files_are_linted() -> None:
    makefile = commands()
    listed = {word for words in makefile.values() for word in words}
    assert {"action.yml", "Dockerfile", "entrypoint.py"} <= listed
    assert {".github/workflows/*.yml", "examples/workflows/*.yml"} <= listed
