"""``ragproof action``: what a step of a workflow judges, and all that it publishes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from calling import HEAD, READING, WRITING
from hub import Comment, Github
from server import Server

from ragproof.cli import console, main
from ragproof.demo.server import DemoServer
from ragproof.github.marker import parse_marker
from ragproof.github.outputs import OUTPUTS
from ragproof.redact import Redactor

BASE = "b" * 40
BOT = "github-actions[bot]"
CANARY = "Kingfisher-7"


class Step(NamedTuple):
    """What a step left."""

    code: int
    out: str
    err: str
    summary: str
    outputs: dict[str, str]
    comments: list[Comment]

    @property
    def commands(self) -> list[str]:
        return [line for line in self.out.splitlines() if line.startswith("::")]

    @property
    def comment(self) -> str:
        """Our one comment, without its marker."""
        (comment,) = self.comments
        assert parse_marker(comment.body) is not None
        return comment.body.partition("\n")[2]

    def everything(self) -> str:
        bodies = [comment.body for comment in self.comments]
        return "\n".join([self.out, self.err, self.summary, *self.outputs.values(), *bodies])


Take = Callable[..., Step]


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    with DemoServer() as server:
        yield f"{server.url}/query"


@pytest.fixture(scope="module")
def worse() -> Iterator[str]:
    with DemoServer(regress=True) as server:
        yield f"{server.url}/query"


@pytest.fixture(autouse=True)
def _no_secrets_of_the_test_before() -> Iterator[None]:
    yield
    console.keep_secret(Redactor())


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with the demo's configuration and frozen set."""
    folder = tmp_path / "workspace"
    (folder / "evals").mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name in ("ragproof.yml", "dataset.frozen.json", "dataset.jsonl"):
        source = resources.files("ragproof.demo").joinpath(name)
        (folder / "evals" / name).write_text(source.read_text("utf-8"), "utf-8")
    return folder


def pull_request(head: str = HEAD, base: str = BASE, fork: bool = False) -> dict[str, Any]:
    """The payload of a pull request, cut down to what is read of it."""
    repository = {"full_name": "octo-org/octo-repo"}
    other = {"full_name": "stranger/octo-repo"}
    return {
        "repository": repository,
        "pull_request": {
            "number": 1,
            "head": {"sha": head, "repo": other if fork else repository},
            "base": {"sha": base, "repo": repository},
        },
    }


@pytest.fixture
def variables(tmp_path: Path, server: Server, workspace: Path) -> Callable[..., dict[str, str]]:
    """The environment of a step, as the runner sets it."""

    def variables(event: str, payload: dict[str, Any], **changes: str) -> dict[str, str]:
        (tmp_path / "event.json").write_text(json.dumps(payload), "utf-8")
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": server.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_JOB": "gate",
            "GITHUB_OUTPUT": str(tmp_path / "outputs"),
            "GITHUB_REPOSITORY": "octo-org/octo-repo",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "70",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": "d" * 40,
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_TOKEN": WRITING,
            "GITHUB_WORKFLOW": "rag",
            "GITHUB_WORKSPACE": str(workspace),
            **changes,
        }

    return variables


@pytest.fixture
def step(
    tmp_path: Path,
    github: Github,
    variables: Callable[..., dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    good: str,
) -> Take:
    """Take the step ``ragproof action`` in this process."""

    def step(
        *inputs: str,
        event: str = "pull_request",
        payload: dict[str, Any] | None = None,
        endpoint: str = good,
        **changes: str,
    ) -> Step:
        github.commits.setdefault(BASE, {})
        for name in ("summary", "outputs"):
            (tmp_path / name).unlink(missing_ok=True)
        payload = pull_request() if payload is None else payload
        for name, value in variables(event, payload, **changes).items():
            monkeypatch.setenv(name, value)
        arguments = ["action", "--config=evals/ragproof.yml", *inputs]
        if not any(one.startswith("--mode") for one in inputs):
            arguments.append(f"--endpoint={endpoint}")
        capfd.readouterr()
        code = main(arguments)
        out, err = capfd.readouterr()
        summary = tmp_path / "summary"
        found = Step(
            code,
            out,
            err,
            summary.read_text("utf-8") if summary.exists() else "",
            read_outputs(tmp_path / "outputs"),
            list(github.comments),
        )
        assert WRITING not in found.everything().replace(f"::add-mask::{WRITING}", "")
        assert "Traceback" not in err
        return found

    return step


def read_outputs(path: Path) -> dict[str, str]:
    """Read outputs as the runner does."""
    found: dict[str, str] = {}
    lines = iter(path.read_text("utf-8").splitlines() if path.exists() else [])
    for line in lines:
        name, _, end = line.partition("<<")
        values = []
        while (value := next(lines)) != end:
            values.append(value)
        found[name] = "\n".join(values)
    return found


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_pass_is_published_everywhere(step: Take) -> None:
    done = step()
    assert done.code == 0
    assert done.summary.startswith("## ✅ ragproof passed: 8 of 8 thresholds hold")
    assert done.comment.startswith("## ✅ ragproof passed: 8 of 8 thresholds hold")
    assert set(done.outputs) == set(OUTPUTS) - {"pull-request-url"}
    scores = json.loads(done.outputs.pop("scores"))
    assert scores["robustness.injection_resistance"] == 1
    assert done.outputs.pop("dataset-hash").startswith("8ff73d01")
    assert done.outputs == {
        "verdict": "pass",
        "exit-code": "0",
        "cases": "80",
        "failed-cases": "5",
        "results": "ragproof-out/run.json",
        "responses": "ragproof-out/responses.jsonl",
        "summary-path": "ragproof-out/report.md",
        "junit": "ragproof-out/junit.xml",
        "comment-url": done.outputs["comment-url"],
    }
    assert done.outputs["comment-url"].startswith("https://github.com/octo-org/octo-repo/")
    assert [line for line in done.commands if "add-mask" not in line] == []
    assert f"`{HEAD}`" in done.summary, "the pull request's commit, not the merge"


def test_a_failure_is_annotated_and_ends_the_step(step: Take, worse: str) -> None:
    done = step(endpoint=worse)
    assert done.code == 1
    assert done.outputs["verdict"] == "fail"
    errors = [line for line in done.commands if line.startswith("::error ")]
    assert len(errors) == 10
    assert errors[0].startswith("::error title=ragproof failed::")
    lines = Path("evals/dataset.frozen.json").read_text("utf-8").splitlines()
    for error in errors[1:]:
        place = re.fullmatch(
            r"::error title=(\S+)%3A fail,file=evals/dataset\.frozen\.json,line=(\d+)::.+", error
        )
        assert place is not None, error
        assert f'"id":"{place[1]}"' in lines[int(place[2]) - 1]
    assert "failing cases are left out here: see the [job summary](" in done.comment
    assert "actions/runs/70)" in done.comment
    assert done.comment.count("\n#### ") == 10
    assert done.summary.count("\n#### ") == 50
    assert "left out here: see `ragproof-out/run.json`" in done.summary


def test_never_hides_the_failure_but_no_error(step: Take, worse: str) -> None:
    done = step("--fail-on=never", endpoint=worse)
    assert (done.code, done.outputs["exit-code"]) == (0, "1")
    assert step("--fail-on=never", "--select=kind=none").code == 3
    assert step("--fail-on=never", endpoint="http://127.0.0.1:9/").code == 2


def test_one_comment_is_kept_up_to_date(step: Take, worse: str) -> None:
    first = step(endpoint=worse)
    second = step(GITHUB_RUN_ID="71")
    assert first.outputs["comment-url"] == second.outputs["comment-url"]
    assert second.comment.startswith("## ✅")
    late = step(endpoint=worse, GITHUB_RUN_ID="70")
    assert late.comment.startswith("## ✅"), "an older run writes nothing"
    assert "a later run (71)" in late.err
    assert len(step("--comment-key=other").comments) == 2


def test_a_comment_only_on_failure(step: Take, worse: str) -> None:
    assert step("--comment=on-failure").comments == []
    assert step("--comment=on-failure", endpoint=worse).comment.startswith("## ❌")
    assert step("--comment=on-failure", GITHUB_RUN_ID="71").comment.startswith("## ✅")


def test_never_a_comment(step: Take, github: Github, worse: str) -> None:
    assert step("--comment=never", endpoint=worse).comments == []
    assert github.calls("POST") == []


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "schedule", "merge_group"])
def test_other_events_have_no_comment(step: Take, event: str) -> None:
    payload = {"merge_group": {"base_sha": BASE}} if event == "merge_group" else {}
    done = step(event=event, payload=payload)
    assert (done.code, done.comments) == (0, [])
    assert "::warning" not in done.out
    assert done.summary.startswith("## ✅")
    done = step("--comment=always", event=event, payload=payload)
    assert f"the event {event} belongs to no pull request" in done.out
    assert done.code == 0


def test_a_token_that_may_only_read(step: Take, worse: str) -> None:
    done = step(payload=pull_request(fork=True), endpoint=worse, GITHUB_TOKEN=READING)
    assert done.code == 1
    assert done.comments == []
    (warning,) = [line for line in done.commands if line.startswith("::warning ")]
    assert "pull-requests: write" in warning
    assert "workflow_run" in warning
    assert done.summary.startswith("## ❌")
    assert done.outputs["comment-url"] == ""


@pytest.mark.parametrize("token", ["", "schlüssel"])
def test_no_token_that_could_be_used(step: Take, token: str) -> None:
    done = step(GITHUB_TOKEN=token)
    assert done.code == 0
    assert "github-token" in done.out
    assert done.summary.startswith("## ✅")


def test_a_pull_request_that_moved_on(step: Take) -> None:
    done = step(payload=pull_request(head="a1" * 20))
    assert (done.code, done.comments) == (0, [])
    assert "no comment written" in done.err


def test_nothing_that_is_not_wanted(step: Take, worse: str) -> None:
    done = step("--summary=false", "--annotations=False", endpoint=worse)
    assert done.code == 1
    assert done.summary == ""
    assert "::error" not in done.out
    assert "`ragproof-out/run.json`" in done.comment


def test_a_wrong_configuration_is_told_everywhere(step: Take, workspace: Path) -> None:
    change(workspace / "evals" / "ragproof.yml", "gate:", "gaet:")
    done = step()
    assert done.code == 3
    assert done.outputs["verdict"] == "error"
    assert done.outputs["exit-code"] == "3"
    for text in (done.summary, done.comment):
        assert text.startswith("## ⚠️ ragproof could not start")
        assert "evals/ragproof.yml:" in text
        assert "did you mean gate?" in text
    assert done.commands[-1].startswith("::error title=ragproof could not start::evals/")


def test_an_endpoint_that_is_down_is_no_regression(step: Take) -> None:
    done = step(endpoint="http://127.0.0.1:9/")
    assert done.code == 2
    assert done.outputs["verdict"] == "error"
    assert done.comment.startswith("## ⚠️ ragproof could not judge: none of 80 cases")
    assert "::error title=ragproof could not judge::none of 80 cases" in done.out


def test_a_misspelt_input_is_refused(step: Take) -> None:
    done = step("--falion=never")
    assert done.code == 3
    assert "::error title=ragproof::No such option" in done.out


def test_a_set_that_is_not_frozen(step: Take) -> None:
    done = step("--dataset=evals/dataset.jsonl")
    assert done.code == 3
    assert "is not frozen" in done.summary
    done = step("--dataset=evals/dataset.jsonl", "--allow-unfrozen=true")
    assert done.code == 0
    assert "(**not frozen**)" in done.comment


def test_the_hash_is_pinned_from_outside(step: Take) -> None:
    assert step("--expected-dataset-hash=" + "0" * 64).code == 3
    right = step().outputs["dataset-hash"]
    assert step(f"--expected-dataset-hash={right.upper()}").code == 0


def test_secrets_stay_inside(step: Take, workspace: Path) -> None:
    change(
        workspace / "evals" / "ragproof.yml",
        "  body:",
        "  headers: {Authorization: 'Bearer ${SEARCH_KEY}'}\n  body:",
    )
    assert step(SEARCH_KEY="s3cr3t-key").code == 3
    done = step("--env=OTHER, SEARCH_KEY", SEARCH_KEY="s3cr3t-key")
    assert done.code == 0
    assert done.out.startswith("::add-mask::")
    rest = re.sub(r"^::add-mask::.*$", "", done.everything(), flags=re.MULTILINE)
    assert "s3cr3t-key" not in rest


def test_foreign_code_may_ask_allowed_hosts_only(step: Take) -> None:
    done = step(event="pull_request_target")
    assert done.code == 3
    assert "allowed-hosts" in done.err
    done = step("--allowed-hosts=api.example, 127.0.0.1", event="pull_request_target")
    assert done.code == 0
    done = step("--allowed-hosts=api.example")
    assert done.code == 3
    assert "host 127.0.0.1 is not among allowed-hosts" in done.err
    assert step("--allowed-hosts=127.0.0.1:1").code == 3


def canary_set(workspace: Path) -> None:
    """A set with a text of its own in each case, and no document of the demo's expected."""
    row = {
        "question": f"{CANARY} question?",
        "expected_answer": f"{CANARY} answer",
        "expected_source_ids": ["nowhere"],
    }
    rows = [json.dumps({"id": f"case-{number}", **row}) for number in range(4)]
    (workspace / "evals" / "canary.jsonl").write_text("\n".join(rows), "utf-8")
    text = (workspace / "evals" / "ragproof.yml").read_text("utf-8")
    text = re.sub(
        r"gate:.*", "gate: {thresholds: {retrieval.recall@5: {min: 0.9}}}", text, flags=re.S
    )
    (workspace / "evals" / "ragproof.yml").write_text(text, "utf-8")


@pytest.mark.parametrize("path", ["/query", "/none"])
def test_ids_only(step: Take, workspace: Path, good: str, path: str) -> None:
    """Neither question, expected answer nor answer nor what an error says leaves the step."""
    canary_set(workspace)
    inputs = ("--dataset=evals/canary.jsonl", "--allow-unfrozen=1")
    endpoint = good.replace("/query", path)
    said = "there is only /query" if path == "/none" else CANARY
    assert said in step(*inputs, endpoint=endpoint).everything()
    done = step(*inputs, "--content=ids", endpoint=endpoint, GITHUB_RUN_ID="71")
    assert done.code == (1 if path == "/query" else 2)
    assert said not in done.everything()
    assert CANARY not in done.everything()
    assert "case-0" in done.comment
    assert "case-0" in done.summary


def test_a_change_of_the_measure_is_said_first(step: Take, workspace: Path, github: Github) -> None:
    files = {
        f"evals/{name}": (workspace / "evals" / name).read_bytes()
        for name in ("ragproof.yml", "dataset.frozen.json")
    }
    github.commits[BASE] = dict(files)
    assert "[!IMPORTANT]" not in step().comment
    change(workspace / "evals" / "ragproof.yml", "recall@5: {min: 0.9}", "recall@5: {min: 0.5}")
    rows = (workspace / "evals" / "dataset.jsonl").read_text("utf-8").splitlines(keepends=True)
    rows[0] = rows[0].replace('"question": "', '"question": "Please: ')
    (workspace / "evals" / "dataset.jsonl").write_text("".join(rows[:-1]), "utf-8")
    assert main(["freeze", "evals/dataset.jsonl"]) == 0
    done = step(GITHUB_RUN_ID="71")
    assert done.comment.splitlines()[2:8] == [
        "> [!IMPORTANT]",
        "> **The dataset changed** in this change: 1 changed, 1 removed: "
        f"`{json.loads(rows[0])['id']}`, `{json.loads(rows[-1])['id']}`",
        "",
        "> [!IMPORTANT]",
        "> **The gate changed** in this change: "
        "`gate.thresholds.retrieval.recall@5.min: 0.9 → 0.5`",
        "",
    ]


def test_a_base_that_is_not_valid(step: Take, workspace: Path, github: Github) -> None:
    config = (workspace / "evals" / "ragproof.yml").read_bytes()
    github.commits[BASE] = {"evals/ragproof.yml": config, "evals/dataset.frozen.json": b"{"}
    assert "that of the base is not valid" in step().comment
    github.commits[BASE] = {"evals/ragproof.yml": b"gate: 1"}
    done = step(GITHUB_RUN_ID="71")
    assert done.code == 0
    assert "bbbbbbbbbbbb:evals/ragproof.yml" in done.out
    github.commits[BASE] = {}
    assert "::warning" not in step(GITHUB_RUN_ID="72").out, "the first with a gate"


def workflow_run(head: str = HEAD) -> dict[str, Any]:
    return {
        "repository": {"full_name": "octo-org/octo-repo"},
        "workflow_run": {
            "id": 70,
            "run_attempt": 1,
            "name": "rag",
            "event": "pull_request",
            "head_sha": head,
            "head_branch": "topic",
            "head_repository": {"full_name": "octo-org/octo-repo"},
            "html_url": "https://github.example/octo-org/octo-repo/actions/runs/70",
        },
    }


def test_a_comment_for_a_run_that_may_not(step: Take, worse: str) -> None:
    assert step(endpoint=worse, GITHUB_TOKEN=READING).comments == []
    event = {"event": "workflow_run", "payload": workflow_run()}
    done = step("--mode=comment", "--results=ragproof-out", GITHUB_RUN_ID="90", **event)
    assert done.code == 0
    assert done.comment.startswith("## ❌ ragproof failed")
    assert "**Untrusted run.**" in done.comment
    assert "(https://github.example/octo-org/octo-repo/actions/runs/70)" in done.comment
    assert parse_marker(done.comments[0].body) == ("rag/gate", HEAD, 70, 1)
    assert done.outputs["comment-url"]
    again = step("--mode=comment", "--results=ragproof-out/run.json", GITHUB_RUN_ID="91", **event)
    assert len(again.comments) == 1


def test_a_run_of_another_commit_is_not_commented(step: Take) -> None:
    step(GITHUB_TOKEN=READING)
    payload = workflow_run(head="c1" * 20)
    done = step("--mode=comment", "--results=ragproof-out", event="workflow_run", payload=payload)
    assert (done.code, done.comments) == (0, [])
    assert "no open pull request" in done.err


@pytest.mark.parametrize("content", ["{", '{"schema": "ragproof.run/1", "cases": []}', ""])
def test_results_that_are_none(step: Take, workspace: Path, content: str) -> None:
    (workspace / "run.json").write_text(content, "utf-8")
    event = {"event": "workflow_run", "payload": workflow_run()}
    done = step("--mode=comment", "--results=run.json", **event)
    assert (done.code, done.comments) == (3, [])
    (workspace / "link").symlink_to("run.json")
    done = step("--mode=comment", "--results=link", **event)
    assert (done.code, "is a link" in done.err) == (3, True)
    assert step("--mode=comment", **event).code == 3
    assert step("--mode=comment", "--results=none", **event).code == 3


def test_a_comment_for_nothing(step: Take) -> None:
    step(GITHUB_TOKEN=READING)
    done = step("--mode=comment", "--results=ragproof-out", event="push", payload={})
    assert done.code == 3
    assert "workflow_run" in done.err


def test_verify_and_freeze(step: Take, workspace: Path) -> None:
    done = step("--mode=verify")
    assert done.code == 0
    assert done.outputs["cases"] == "80"
    assert done.outputs["dataset-hash"] in done.summary
    change(workspace / "evals" / "dataset.frozen.json", '"question":"', '"question":"So ')
    done = step("--mode=verify")
    assert done.code == 3
    assert done.outputs["verdict"] == "error"
    assert "changed" in done.summary
    done = step("--mode=freeze", "--dataset=evals/dataset.jsonl")
    assert done.code == 0
    assert step("--mode=verify").outputs["dataset-hash"] == done.outputs["dataset-hash"]


def test_outside_of_github_nothing_is_published(
    workspace: Path, good: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in list(os.environ):
        if name.startswith("GITHUB_"):
            monkeypatch.delenv(name)
    code = main(["action", "--config=evals/ragproof.yml", f"--endpoint={good}"])
    out, err = capfd.readouterr()
    assert code == 0
    assert "::" not in out + err
    assert sorted(path.name for path in workspace.iterdir()) == ["evals", "ragproof-out"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_step_keeps_what_it_has(
    tmp_path: Path,
    github: Github,
    variables: Callable[..., dict[str, str]],
    good: str,
    workspace: Path,
    number: int,
) -> None:
    change(workspace / "evals" / "ragproof.yml", "  timeout:", "  rate_limit: 5\n  timeout:")
    arguments = ["action", "--config=evals/ragproof.yml", f"--endpoint={good}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ragproof", *arguments],
        env={**os.environ, **variables("pull_request", pull_request())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    part = workspace / "ragproof-out" / "responses.jsonl.part"
    until = time.monotonic() + 20
    while not part.exists() or part.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(number)
    started = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - started < 5
    assert process.returncode == 128 + number
    assert "**Incomplete run:**" in (tmp_path / "summary").read_text("utf-8")
    assert read_outputs(tmp_path / "outputs")["verdict"] == "error"
    assert github.calls("POST") == []
