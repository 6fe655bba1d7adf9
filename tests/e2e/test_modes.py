"""What the action does besides gating, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
from stage import HEAD, WRITING, GithubServer, act, pull_request, workflow_run

from ragproof.cli import main
from ragproof.dataset.load import load_dataset


def test_verify_takes_a_set_that_is_unchanged(repository: Path) -> None:
    ran = act(repository, "push", {"mode": "verify"})
    assert ran.ok, ran.log
    assert ran.outputs["exit-code"] == "0"
    assert ran.outputs["cases"] == "80"
    assert len(ran.outputs["dataset-hash"]) == 64


def test_verify_refuses_a_set_that_was_changed(repository: Path) -> None:
    path = repository / "dataset.frozen.json"
    text = path.read_text("utf-8")
    path.write_text(text.replace("qa-no-show", "qa-no-shoe"))
    ran = act(repository, "push", {"mode": "verify"})
    assert (ran.ok, ran.code) == (False, 3)
    assert "qa-no-sho" in ran.log


def test_a_hash_from_outside_pins_the_set(repository: Path) -> None:
    ran = act(repository, "push", {"mode": "verify", "expected-dataset-hash": "0" * 64})
    assert (ran.ok, ran.code) == (False, 3)


def test_freeze_writes_the_frozen_set(repository: Path) -> None:
    frozen = repository / "dataset.frozen.json"
    before = load_dataset(frozen).hash
    frozen.unlink()
    ran = act(repository, "workflow_dispatch", {"mode": "freeze", "dataset": "dataset.jsonl"})
    assert ran.ok, ran.log
    assert ran.outputs["dataset-hash"] == load_dataset(frozen).hash == before


@pytest.fixture(scope="session")
def results(worse: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results as a stranger's run would have uploaded them."""
    folder = tmp_path_factory.mktemp("stranger") / "out"
    config = Path(__file__).parents[2] / "src" / "ragproof" / "demo" / "ragproof.yml"
    assert main(["run", "-c", str(config), "--endpoint", worse, "--out", str(folder)]) == 1
    return folder


def test_comment_reports_the_run_of_a_stranger(
    repository: Path, results: Path, github: GithubServer
) -> None:
    shutil.copytree(results, repository / "untrusted")
    ran = act(
        repository,
        "workflow_run",
        {"mode": "comment", "results": "untrusted"},
        payload=workflow_run(),
        env={"GITHUB_API_URL": github.url()},
    )
    assert ran.ok, ran.log
    [comment] = github.comments()
    assert comment["number"] == 8
    assert "ragproof failed" in comment["body"]
    assert "Untrusted run" in comment["body"]
    assert HEAD in comment["body"]
    assert ran.outputs["comment-url"].endswith(f"issuecomment-{comment['id']}")


def test_comment_refuses_what_is_no_result(repository: Path, github: GithubServer) -> None:
    folder = repository / "untrusted"
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"schema": "ragproof.run/1", "verdict": "pass"}))
    ran = act(
        repository,
        "workflow_run",
        {"mode": "comment", "results": "untrusted"},
        payload=workflow_run(),
        env={"GITHUB_API_URL": github.url()},
    )
    assert not ran.ok
    assert github.comments() == []


def test_a_misspelt_input_is_refused(repository: Path) -> None:
    ran = act(repository, "push", {"endpiont": "http://localhost:1/query"})
    assert (ran.ok, ran.code) == (False, 3)
    assert "--endpoint" in ran.log


def test_a_set_that_is_not_frozen_is_refused(repository: Path, good: str) -> None:
    inputs = {"endpoint": good, "dataset": "dataset.jsonl", "comment": "never"}
    ran = act(repository, "push", inputs)
    assert (ran.ok, ran.code, ran.outputs["exit-code"]) == (False, 3, "3")
    assert "allow-unfrozen" in ran.log
    assert act(repository, "push", {**inputs, "allow-unfrozen": "true"}).ok


def test_the_token_is_nowhere(repository: Path, worse: str, github: GithubServer) -> None:
    """Nor in any file of the run; the log is masked by the runner and not looked at."""
    env = {"GITHUB_API_URL": github.url()}
    inputs = {"endpoint": worse}
    ran = act(repository, "pull_request", inputs, payload=pull_request(), env=env)
    texts = {path.name: path.read_text("utf-8") for path in (repository / "ragproof-out").iterdir()}
    texts |= {"summary": ran.summary, "comments": json.dumps(github.comments())}
    assert len(texts) >= 6
    assert [name for name, text in texts.items() if WRITING in text] == []
