"""Each event that gates, passing and failing: summary, outputs, comment, annotations, exit."""

import json
from pathlib import Path
from typing import Any

import pytest
from stage import HEAD, READING, STRICTER, GithubServer, act, checked, merge_group, pull_request

EVENTS: dict[str, dict[str, Any]] = {
    "pull_request": pull_request(),
    "push": {"ref": "refs/heads/main", "after": HEAD},
    "workflow_dispatch": {"inputs": {}},
    "merge_group": merge_group(),
}


@pytest.mark.parametrize("event", EVENTS)
def test_a_good_endpoint_passes(
    event: str, repository: Path, good: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    inputs, payload = {"endpoint": good}, EVENTS[event]
    ran = act(repository, event, inputs, payload=payload, env=env, later=checked("pass"))
    assert ran.ok, ran.log
    assert ran.outputs["verdict"] == "pass"
    assert ran.outputs["exit-code"] == "0"
    assert ran.outputs["cases"] == "80"
    assert json.loads(ran.outputs["scores"])["retrieval.recall@5"] > 0.9
    assert ran.outputs["dataset-hash"] == ran.run()["dataset"]["hash"]
    assert ran.summary.startswith("## ✅ ragproof passed")
    assert ran.annotations == []
    comments = github.comments()
    if event == "pull_request":
        [comment] = comments
        assert comment["number"] == 7
        assert "ragproof passed" in comment["body"]
        assert HEAD in comment["body"]
        assert ran.outputs["comment-url"].endswith(f"issuecomment-{comment['id']}")
    else:
        assert comments == []
        assert ran.outputs["comment-url"] == ""


@pytest.mark.parametrize("event", EVENTS)
def test_a_worse_endpoint_fails(
    event: str, repository: Path, worse: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    inputs, payload = {"endpoint": worse}, EVENTS[event]
    ran = act(repository, event, inputs, payload=payload, env=env, later=checked("fail"))
    assert not ran.ok
    assert ran.code == 1, ran.log
    assert ran.outputs["verdict"] == "fail"
    assert ran.outputs["exit-code"] == "1"
    assert int(ran.outputs["failed-cases"]) > 5
    assert ran.summary.startswith("## ❌ ragproof failed")
    assert len(github.comments()) == (event == "pull_request")
    assert all("ragproof failed" in one["body"] for one in github.comments())
    why, *cases = ran.annotations
    assert why.message.startswith("retrieval.recall@5 is")
    assert len(cases) == 9  # the runner shows ten
    lines = (repository / "dataset.frozen.json").read_text("utf-8").splitlines()
    for case in cases:
        assert (case.level, case.place["file"]) == ("error", "dataset.frozen.json")
        assert case.place["title"].partition(":")[0] in lines[int(case.place["line"]) - 1]


def test_annotations_name_a_file_from_the_top(repository: Path, worse: str) -> None:
    folder = repository / "deep" / "er"
    folder.mkdir(parents=True)
    for name in ("ragproof.yml", "dataset.frozen.json"):
        (repository / name).rename(folder / name)
    inputs = {"endpoint": worse, "config": "deep/er/ragproof.yml", "output-dir": "out/of/it"}
    ran = act(repository, "push", inputs)
    assert ran.code == 1, ran.log
    assert ran.annotations[1].place["file"] == "deep/er/dataset.frozen.json"
    assert ran.outputs["results"] == "out/of/it/run.json"
    assert (repository / ran.outputs["junit"]).is_file()
    ran = act(repository, "push", {**inputs, "annotations": "false", "summary": "false"})
    assert (ran.code, ran.annotations, ran.summary) == (1, [], "")


def test_one_comment_is_kept_up_to_date(
    repository: Path, good: str, worse: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    seen = []
    for number, endpoint in enumerate((worse, good), start=1):
        env["GITHUB_RUN_ID"] = str(number)
        inputs = {"endpoint": endpoint, "comment": "on-failure", "comment-key": "k"}
        act(repository, "pull_request", inputs, payload=pull_request(), env=env)
        [comment] = github.comments()
        seen.append(comment)
    assert seen[0]["id"] == seen[1]["id"]
    assert "ragproof failed" in seen[0]["body"]
    assert "ragproof passed" in seen[1]["body"]


def test_a_change_of_the_gate_itself_is_said_first(
    repository: Path, good: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    payload = pull_request(base=STRICTER)
    ran = act(repository, "pull_request", {"endpoint": good}, payload=payload, env=env)
    assert ran.ok, ran.log
    [comment] = github.comments()
    for text in (ran.summary, comment["body"]):
        first, _, _ = text.partition("| Metric")
        assert "0.99" in first, first


def test_no_comment_without_a_failure(repository: Path, good: str, github: GithubServer) -> None:
    env = {"GITHUB_API_URL": github.url()}
    inputs = {"endpoint": good, "comment": "on-failure"}
    ran = act(repository, "pull_request", inputs, payload=pull_request(), env=env)
    assert ran.ok
    assert github.comments() == []


def test_the_fork_of_a_stranger_is_gated_all_the_same(
    repository: Path, worse: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    payload = pull_request(fork=True)
    ran = act(
        repository, "pull_request", {"endpoint": worse}, payload=payload, env=env, token=READING
    )
    assert ran.code == 1
    assert ran.summary.startswith("## ❌ ragproof failed")
    assert ran.outputs["verdict"] == "fail"
    assert ran.outputs["comment-url"] == ""
    assert "pull-requests: write" in ran.log
    assert github.comments() == []


def test_a_failure_can_be_let_pass_but_not_an_error(
    repository: Path, worse: str, github: GithubServer
) -> None:
    env = {"GITHUB_API_URL": github.url()}
    inputs = {"endpoint": worse, "fail-on": "never"}
    ran = act(repository, "push", inputs, env=env)
    assert ran.ok, ran.log
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("fail", "1")
    ran = act(repository, "push", {**inputs, "endpoint": "http://localhost:9/query"}, env=env)
    assert (ran.ok, ran.code, ran.outputs["exit-code"]) == (False, 2, "2")
