"""A workflow that is started by hand has a model write a set, and people get a pull request."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from stage import KEEP, ROOT, WRITING, GithubServer, act

sys.path[:0] = [str(ROOT / "tests" / name) for name in ("github", "llm")]

import quizmaster  # noqa: E402 - they stand in folders of other tests
from scripted import ScriptedServer, serving  # noqa: E402

from ragproof.dataset.load import load_dataset  # noqa: E402

BRANCH = "ragproof/regenerate"
KEY = "sk-a-key-of-the-model-0123456789"
MAY_WRITE = {"contents": "write", "pull-requests": "write"}
INPUTS = {
    "mode": "generate",
    "corpus": "guide",
    "out": "evals/set.jsonl",
    "qa": "2",
    "unanswerable": "1",
    "injection": "1",
    "model": "scripted",
    "model-key": KEY,
}
GUIDE = {
    "fee.md": "# Boats\n\nThe rental fee of a kayak is twelve euros a day. Pay at the counter.\n",
    "hut.md": "# Huts\n\nThe hut on Raven Peak opens in early May. Bring a warm blanket.\n",
    "tent.md": "# Tents\n\nA family tent of the shop weighs exactly eleven kilograms. It is new.\n",
}


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with serving(quizmaster.answer) as server:
        server.script = server.script._replace(key=KEY)
        yield server


@pytest.fixture
def github(tmp_path: Path, repository: Path) -> Iterator[GithubServer]:
    """A GitHub that has the commit of the checkout on its main branch."""
    (repository / "guide").mkdir()
    for name, text in GUIDE.items():
        (repository / "guide" / name).write_text(text)
    sha = subprocess.run(
        ["git", "-C", repository, "rev-parse", "HEAD"], text=True, capture_output=True, check=True
    ).stdout.strip()
    files = {f"guide/{name}": text for name, text in GUIDE.items()}
    start = {
        "branches": {"main": {"sha": sha, "files": files}},
        "tokens": {WRITING: {"permissions": MAY_WRITE}},
    }
    server = GithubServer(tmp_path, start)
    yield server
    unknown = server.state()["unknown"]
    server.close()
    assert unknown == []


def test_a_set_is_made_and_proposed(
    repository: Path, github: GithubServer, model: ScriptedServer, tmp_path: Path
) -> None:
    env = {"GITHUB_API_URL": github.url(), "GITHUB_REF": "refs/heads/main"}
    inputs = {**INPUTS, "base-url": model.url}
    payload: dict[str, Any] = {"inputs": {}}
    ran = act(repository, "workflow_dispatch", inputs, payload=payload, env=env)
    assert ran.ok, ran.log
    assert {one.key for one in model.requests} == {KEY}

    state = github.state()
    [pull] = [one for one in state["pulls"] if one["head_branch"] == BRANCH]
    head = state["branches"][BRANCH]
    assert (pull["base_branch"], pull["head_sha"]) == ("main", head["sha"])
    assert head["parents"] == [state["branches"]["main"]["sha"]]
    files = {name: base64.b64decode(data) for name, data in head["files"].items()}
    names = ("set.jsonl", "set.frozen.json", "set.ledger.json")
    assert set(files) == {f"guide/{name}" for name in GUIDE} | {f"evals/{name}" for name in names}
    for name in names:
        assert files[f"evals/{name}"] == (repository / "ragproof-out" / name).read_bytes()

    (tmp_path / "set.frozen.json").write_bytes(files["evals/set.frozen.json"])
    dataset = load_dataset(tmp_path / "set.frozen.json")
    assert sorted(case.kind for case in dataset.cases) == ["injection", "qa", "qa", "unanswerable"]
    assert ran.outputs["dataset-hash"] == dataset.hash
    assert ran.outputs["cases"] == "4"
    assert ran.outputs["exit-code"] == "0"
    assert ran.outputs["pull-request-url"].endswith(f"/pull/{pull['number']}")
    assert ran.summary.startswith("## ✅ ragproof regenerated the dataset")
    for text in (ran.summary, pull["body"]):
        assert "4 added, 0 removed, 0 the same" in text
        assert all(case.id in text for case in dataset.cases)
    assert ran.outputs["pull-request-url"] in ran.summary
    assert "approve the runs" in ran.summary
    texts = [ran.summary, json.dumps(state), json.dumps(ran.outputs), *map(str, files.values())]
    assert not [text for text in texts if KEY in text or WRITING in text]

    owner = repository.stat().st_uid
    made = [repository / "evals", *(repository / "evals").iterdir()]
    made += (repository / "ragproof-out").iterdir()
    assert {path.stat().st_uid for path in made} == {owner}


def ours_alone() -> dict[Any, Any]:
    """Our workflow, without the steps that need the network, with the action of this commit."""
    content: dict[Any, Any] = yaml.safe_load(
        (ROOT / ".github" / "workflows" / "regenerate.yml").read_text("utf-8")
    )
    content["on"] = content.pop(True)  # which YAML 1.1 takes `on` for
    job = content["jobs"]["regenerate"]
    [step] = [one for one in job["steps"] if one.get("id") == "ragproof"]
    outputs = {"OUTPUTS": "${{ toJSON(steps.ragproof.outputs) }}"}
    job["steps"] = [{**step, "uses": "./"}, {"env": outputs, "run": KEEP}]
    job["runs-on"] = "ubuntu-latest"
    return content


@pytest.mark.parametrize("called", [False, True], ids=["dispatched", "called"])
def test_our_workflow(
    repository: Path, github: GithubServer, model: ScriptedServer, called: bool
) -> None:
    """What it leaves empty is decided by the command line."""
    env = {"GITHUB_API_URL": github.url(), "GITHUB_REF": "refs/heads/main"}
    content = ours_alone()
    given = {"corpus": "guide", "out": "evals/set.jsonl", "qa": "2"}
    if called:
        del content["on"]["workflow_dispatch"]  # or it would run by itself as well
        path = repository / ".github" / "workflows" / "regenerate.yml"
        path.write_text(yaml.safe_dump(content))
        caller = {
            "uses": "./.github/workflows/regenerate.yml",
            "with": {**given, "model": "scripted", "base-url": model.url},
            "secrets": {"RAGPROOF_GEN_API_KEY": KEY},
        }
        content = {"name": "caller", "on": "workflow_dispatch", "jobs": {"call": caller}}
    ran = act(
        repository,
        "workflow_dispatch",
        {},
        payload={"inputs": {} if called else given},
        env=env,
        workflow=yaml.safe_dump(content),
    )
    assert ran.ok, ran.log
    assert bool(model.requests) == called
    assert ran.outputs["cases"] == "2"
    assert "evals/set.frozen.json" in github.state()["branches"][BRANCH]["files"]


def test_a_second_run_brings_it_up_to_date(repository: Path, github: GithubServer) -> None:
    """Without a model: what has not changed stays, what a document no longer says goes."""
    env = {"GITHUB_API_URL": github.url(), "GITHUB_REF": "refs/heads/main", "GITHUB_RUN_ID": "1"}
    kept = {"mode": "generate", "corpus": "guide", "out": "evals/set.jsonl"}
    inputs = {**kept, "generator": "extractive", "qa": "3"}
    ran = act(repository, "workflow_dispatch", inputs, env=env)
    assert ran.ok, ran.log
    cases = load_dataset(repository / "evals" / "set.frozen.json").cases
    (repository / "guide" / "hut.md").write_text("# Huts\n\nThe hut on Raven Peak burnt down.\n")
    env["GITHUB_RUN_ID"] = "2"
    ran = act(repository, "workflow_dispatch", inputs, env=env)
    assert ran.ok, ran.log
    now = load_dataset(repository / "evals" / "set.frozen.json").cases
    stays = [case for case in cases if "hut.md" not in str(case.expected_source_ids)]
    assert 0 < len(stays) < len(cases)
    assert [case for case in now if case in cases] == stays
    state = github.state()
    [pull] = [one for one in state["pulls"] if one["head_branch"] == BRANCH]
    frozen = base64.b64decode(state["branches"][BRANCH]["files"]["evals/set.frozen.json"])
    assert frozen == (repository / "evals" / "set.frozen.json").read_bytes()
    assert ran.outputs["pull-request-url"].endswith(f"/pull/{pull['number']}")


def test_a_setting_that_forbids_it_fails_the_step(
    repository: Path, github: GithubServer, tmp_path: Path
) -> None:
    sha = github.state()["branches"]["main"]["sha"]
    other = tmp_path / "other"
    other.mkdir()
    start = {
        "branches": {"main": {"sha": sha, "files": {"a": "a"}}},
        "tokens": {WRITING: {"permissions": MAY_WRITE}},
        "may_open_pulls": False,
    }
    server = GithubServer(other, start)
    try:
        env = {"GITHUB_API_URL": server.url(), "GITHUB_REF": "refs/heads/main"}
        inputs = {"mode": "generate", "corpus": "guide", "out": "set.jsonl", "qa": "1"}
        inputs |= {"generator": "extractive"}
        ran = act(repository, "workflow_dispatch", inputs, env=env)
    finally:
        server.close()
    assert (ran.ok, ran.code, ran.outputs["exit-code"]) == (False, 2, "2")
    assert "Allow GitHub Actions to create and approve pull requests" in ran.log
    assert (repository / "ragproof-out" / "set.frozen.json").exists()
