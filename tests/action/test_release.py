"""The parts of a release that need no GitHub, as the workflow has them."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragproof.version import __version__

ROOT = Path(__file__).parents[2]
IMAGE = f"docker://ghcr.io/owner/ragproof-action@sha256:{'0' * 64}"


def job(name: str) -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)["jobs"][name]
    return found


def script(of: str, step: str, until: str) -> str:
    """What a step runs, up to the first line that needs GitHub."""
    [found] = [one["run"] for one in job(of)["steps"] if one.get("id") == step]
    before, marker, _ = found.partition(until)
    assert marker
    return str(before)


def run(script: str, folder: Path, **variables: str) -> int:
    """Run a script as the runner does."""
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(bash, cwd=folder, env={**os.environ, **variables}, check=False)
    return done.returncode


@pytest.mark.parametrize(
    ("version", "right"),
    [(__version__, True), ("99.0.0", False), ("1", False), (f"v{__version__}", False), ("", False)],
)
def test_only_the_version_of_the_code_is_released(version: str, right: bool) -> None:
    check = script("image", "name", "if gh api")
    assert (run(check, ROOT, VERSION=version) == 0) == right


def test_a_release_names_its_image_by_digest(tmp_path: Path) -> None:
    shutil.copy(ROOT / "action.yml", tmp_path)
    before = yaml.safe_load((tmp_path / "action.yml").read_text("utf-8"))
    assert run(script("tag", "commit", "api="), tmp_path, IMAGE=IMAGE) == 0
    after = yaml.safe_load((tmp_path / "action.yml").read_text("utf-8"))
    assert after == {**before, "runs": {"using": "docker", "image": IMAGE}}
    assert run(script("tag", "commit", "api="), tmp_path, IMAGE=f"{IMAGE}1") != 0


def test_nothing_moves_before_it_was_tried() -> None:
    assert set(job("move")["needs"]) >= {"verify"}
    assert set(job("verify")["needs"]) >= {"tag", "image"}
    assert job("image")["if"] == "github.ref == 'refs/heads/main'"
    writing = [name for name in ("image", "verify") if "contents: write" in str(job(name))]
    assert writing == []
