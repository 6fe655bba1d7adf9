"""``ragproof action`` in mode ``generate``: a model writes, people get a pull request."""

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import quizmaster
from calling import READING, WRITING
from hub import PROPOSER, READER, Fault, Github, Token
from scripted import ScriptedServer, saying, serving
from server import Server

from ragproof.cli import console, main
from ragproof.dataset.load import Dataset, load_dataset
from ragproof.demo.server import DemoServer
from ragproof.redact import Redactor

BASE = "d" * 40
BRANCH = "ragproof/regenerate"
KEY = "sk-a-key-of-the-model/0123456789"
PULL = "https://github.com/octo-org/octo-repo/pull/2"
REVIEW, FROZEN, LEDGER = "evals/set.jsonl", "evals/set.frozen.json", "evals/set.ledger.json"
DOCUMENTS = {
    "fee.md": "# Boats\n\nThe rental fee of a kayak is twelve euros a day. Pay at the counter.\n",
    "hut.md": "# Huts\n\nThe hut on Raven Peak opens in early May. Bring a warm blanket.\n",
    "tent.md": "# Tents\n\nA family tent of the shop weighs exactly eleven kilograms. It is new.\n",
}
SETS = ("--corpus=docs", f"--out={REVIEW}", "--qa=2")


class Step(NamedTuple):
    """What a step left."""

    code: int
    out: str
    err: str
    summary: str
    outputs: dict[str, str]

    @property
    def told(self) -> list[str]:
        """Workflow commands but those that mask."""
        lines = [line for line in self.out.splitlines() if line.startswith("::")]
        return [line for line in lines if not line.startswith("::add-mask::")]

    def everything(self) -> str:
        return "\n".join([self.out, self.err, self.summary, *self.outputs.values()])


Take = Callable[..., Step]


@pytest.fixture(autouse=True)
def _no_secrets_of_the_test_before() -> Iterator[None]:
    yield
    console.keep_secret(Redactor())


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with serving(quizmaster.answer) as server:
        server.script = server.script._replace(key=KEY)
        yield server


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, github: Github) -> Path:
    """A checkout of a repository with a corpus and no set yet."""
    folder = tmp_path / "workspace"
    monkeypatch.chdir(tmp_path)
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    commit(github, folder)
    github.tokens[WRITING] = Token(permissions=PROPOSER)
    return folder


def commit(github: Github, folder: Path) -> str:
    """Have the main branch hold what is in the folder; the first commit is ``BASE``."""
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "ragproof-out" not in path.parts
    }
    sha = None if "main" in github.git.branches else BASE
    return github.git.commit("main", files, sha=sha)


@pytest.fixture
def step(
    tmp_path: Path,
    workspace: Path,
    server: Server,
    model: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Take:
    """Take the step in this process."""

    def step(
        *inputs: str,
        event: str = "workflow_dispatch",
        payload: dict[str, Any] | None = None,
        run: int = 70,
        **changes: str,
    ) -> Step:
        payload = {"repository": {"full_name": "octo-org/octo-repo"}, **(payload or {})}
        (tmp_path / "event.json").write_text(json.dumps(payload), "utf-8")
        for name in ("summary", "outputs"):
            (tmp_path / name).unlink(missing_ok=True)
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": server.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_OUTPUT": str(tmp_path / "outputs"),
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_REPOSITORY": "octo-org/octo-repo",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": str(run),
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": BASE,
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_TOKEN": WRITING,
            "GITHUB_WORKSPACE": str(workspace),
            "RAGPROOF_GEN_API_KEY": KEY,
            "RAGPROOF_GEN_MODEL": "scripted",
            "RAGPROOF_GEN_BASE_URL": model.url,
            "RAGPROOF_GEN_MAX_WAIT": "2",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            **changes,
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        code = main(["action", "--mode=generate", *(inputs or SETS)])
        out, err = capfd.readouterr()
        done = Step(code, out, err, read(tmp_path / "summary"), outputs(tmp_path / "outputs"))
        rest = re.sub(r"^::add-mask::.*$", "", done.everything(), flags=re.MULTILINE)
        rest += "".join(pull.body or "" for pull in server.github.pulls.values())
        assert WRITING not in rest
        assert KEY not in rest
        assert "Traceback" not in rest
        return done

    return step


def read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def outputs(path: Path) -> dict[str, str]:
    """Outputs of a step, none of which has more than one line."""
    found = re.findall(r"^(.+)<<(\S+)\n(.*)\n\2$", read(path), flags=re.MULTILINE)
    return {name: value for name, _, value in found}


def proposed(github: Github, folder: Path) -> Dataset:
    """The frozen set at the head of our branch."""
    path = folder.parent / "proposed.json"
    path.write_bytes(github.git.files(BRANCH)[FROZEN])
    return load_dataset(path)


def merge(github: Github, folder: Path) -> str:
    """Merge the pull request as people do."""
    [number] = [one.number for one in github.pulls.values() if one.head_branch == BRANCH]
    github.pulls[number] = github.pulls[number]._replace(state="closed")
    del github.git.branches[BRANCH]
    return commit(github, folder)


# What is made


def test_a_first_set_is_proposed(step: Take, github: Github, workspace: Path) -> None:
    done = step()
    assert done.code == 0, done.err
    files = github.git.files(BRANCH)
    assert set(files) == {f"docs/{name}" for name in DOCUMENTS} | {REVIEW, FROZEN, LEDGER}
    for name in (REVIEW, FROZEN, LEDGER):
        assert files[name] == (workspace / name).read_bytes()
        assert files[name] == (workspace / "ragproof-out" / Path(name).name).read_bytes()
    dataset = proposed(github, workspace)
    assert done.outputs == {
        "exit-code": "0",
        "dataset-hash": dataset.hash,
        "cases": "2",
        "summary-path": "ragproof-out/report.md",
        "pull-request-url": PULL,
    }
    pull = github.pulls[2]
    assert (pull.title, pull.base_branch) == ("Regenerate the evaluation dataset", "main")
    assert pull.body is not None
    for text in (pull.body, done.summary, read(workspace / "ragproof-out" / "report.md")):
        assert "2 added, 0 removed, 0 the same" in text
        assert "| `qa` | 2 | 2 | 0 | 0 | 0 |" in text
        assert all(case.id in text and case.question in text for case in dataset.cases)
        assert "openai/scripted" in text
        assert "actions/runs/70" in text
    assert f"`ragproof freeze {REVIEW}`" in pull.body
    assert done.summary.startswith("## ✅ ragproof regenerated the dataset\n")
    assert f"**Pull request:** {PULL}" in done.summary
    assert done.told == []


def test_what_the_default_token_does_not_do_is_named(step: Take, github: Github) -> None:
    assert "approve the runs" in step().summary
    del github.pulls[2], github.git.branches[BRANCH]
    github.tokens[WRITING] = Token("our-app[bot]", PROPOSER)
    done = step()
    assert done.outputs["pull-request-url"] == PULL
    assert "approve the runs" not in done.summary


def test_the_model_is_that_of_the_inputs(step: Take, model: ScriptedServer) -> None:
    elsewhere = {"RAGPROOF_GEN_MODEL": "other", "RAGPROOF_GEN_BASE_URL": "http://127.0.0.1:9"}
    done = step(*SETS, "--model=that-one", f"--base-url={model.url}", **elsewhere)
    assert done.code == 0, done.err
    assert {one.model for one in model.requests} == {"that-one"}
    assert {one.key for one in model.requests} == {KEY}


def test_no_model_is_needed(step: Take, model: ScriptedServer, github: Github) -> None:
    inputs = (*SETS, "--generator=extractive", "--injection=2")
    done = step(*inputs, RAGPROOF_GEN_MODEL="", RAGPROOF_GEN_API_KEY="")
    assert done.code == 0, done.err
    assert model.requests == []
    assert "| `injection` | 2 | 2 | 0 | 0 | 0 |" in done.summary
    assert FROZEN in github.git.files(BRANCH)


def test_the_set_of_the_configuration(step: Take, workspace: Path, github: Github) -> None:
    (workspace / "ragproof.yml").write_text(
        "endpoint: {url: 'http://127.0.0.1:9/', body: {q: '{question}'}, response: {answer: $.a}}\n"
        "dataset: evals/set.frozen.json\n"
    )
    (workspace / "evals").mkdir()
    done = step("--corpus=docs", "--qa=1")
    assert done.code == 0, done.err
    assert {REVIEW, FROZEN, LEDGER} <= set(github.git.files(BRANCH))


def test_nothing_is_proposed_where_that_is_not_wanted(step: Take, github: Github) -> None:
    done = step(*SETS, "--propose=false", GITHUB_TOKEN="", GITHUB_REF="refs/tags/v1")
    assert done.code == 0, done.err
    assert github.exchanges == []
    assert done.outputs["pull-request-url"] == ""
    assert "Pull request" not in done.summary


def test_ids_only(step: Take, github: Github, workspace: Path) -> None:
    done = step(*SETS, "--content=ids")
    for case in proposed(github, workspace).cases:
        for text in (done.summary, github.pulls[2].body or ""):
            assert case.id in text
            assert case.question not in text


# What is kept


def test_cases_whose_source_stays_are_kept(
    step: Take, github: Github, workspace: Path, model: ScriptedServer
) -> None:
    step("--corpus=docs", f"--out={REVIEW}", "--qa=3")
    first = proposed(github, workspace)
    sha = merge(github, workspace)
    model.requests.clear()
    path = workspace / "docs" / "hut.md"
    path.write_text(path.read_text().replace("in early May", "on Midsummer Day"))
    done = step("--corpus=docs", f"--out={REVIEW}", run=71, GITHUB_SHA=sha)
    assert done.code == 0, done.err
    second = proposed(github, workspace)
    kept = [case for case in first.cases if "Raven" not in case.question]
    [made] = [case for case in second.cases if case not in first.cases]
    assert [case for case in second.cases if case in first.cases] == kept
    assert made.expected_answer == "Midsummer Day"
    assert "1 added, 1 removed, 2 the same" in done.summary
    assert "| `qa` | 1 | 1 | 2 | 0 | 0 |" in done.summary
    assert done.outputs["cases"] == "3"
    assert len({one.prompt for one in model.requests}) < 5, "nothing is asked about the others"


def test_nothing_changed(step: Take, github: Github, workspace: Path) -> None:
    step()
    sha = merge(github, workspace)
    done = step("--corpus=docs", f"--out={REVIEW}", run=71, GITHUB_SHA=sha)
    assert done.code == 0, done.err
    assert f"Nothing was proposed: main has exactly this `{FROZEN}` already." in done.summary
    assert done.outputs["pull-request-url"] == ""
    assert BRANCH not in github.git.branches


def test_every_case_is_made_anew(step: Take, github: Github, workspace: Path) -> None:
    step()
    sha = merge(github, workspace)
    done = step(*SETS, "--update=false", "--seed=9", run=71, GITHUB_SHA=sha)
    assert done.code == 0, done.err
    assert "| `qa` | 2 | 2 | 0 |" in done.summary


def test_wording_of_people_is_not_lost(step: Take, github: Github, workspace: Path) -> None:
    step()
    sha = merge(github, workspace)
    path = workspace / REVIEW
    path.write_text(path.read_text("utf-8").replace("How does it go on", "Tell me"), "utf-8")
    calls = len(github.calls("POST"))
    done = step(*SETS, run=71, GITHUB_SHA=sha)
    assert done.code == 3
    assert f"run `ragproof freeze {REVIEW}`" in done.err
    assert len(github.calls("POST")) == calls
    assert main(["freeze", REVIEW]) == 0
    done = step(*SETS, run=72, GITHUB_SHA=commit(github, workspace))
    assert done.code == 0, done.err
    assert "Tell me" in path.read_text("utf-8")


def test_a_second_run_brings_the_pull_request_up_to_date(
    step: Take, github: Github, workspace: Path
) -> None:
    step()
    done = step("--corpus=docs", f"--out={REVIEW}", "--qa=3", run=71)
    assert done.outputs["pull-request-url"] == PULL
    assert len(github.pulls) == 2
    assert len(proposed(github, workspace).cases) == 3
    assert "actions/runs/71" in (github.pulls[2].body or "")


# What is in the way


def test_missing_cases_are_told(step: Take) -> None:
    done = step("--corpus=docs", f"--out={REVIEW}", "--qa=9")
    assert done.code == 0, done.err
    assert "cases are missing" in done.summary
    [warning] = done.told
    assert "of the qa cases that were asked for are missing" in warning


def test_a_key_that_is_wrong(step: Take, github: Github, model: ScriptedServer) -> None:
    wrong = "sk-another-key-0123456789"
    done = step(RAGPROOF_GEN_API_KEY=wrong)
    assert done.code in (2, 3)
    assert "RAGPROOF_GEN_API_KEY" in done.summary
    assert wrong not in re.sub(r"^::add-mask::.*$", "", done.everything(), flags=re.MULTILINE)
    assert done.outputs["exit-code"] == str(done.code)
    assert BRANCH not in github.git.branches


def test_a_model_that_says_nothing_of_use(
    step: Take, github: Github, model: ScriptedServer, workspace: Path
) -> None:
    model.script = saying("I would rather not.", key=KEY)
    done = step()
    assert done.code == 2
    assert done.summary.startswith("## ⚠️ ragproof could not generate")
    assert BRANCH not in github.git.branches
    assert not (workspace / FROZEN).exists()


def test_a_run_that_is_cancelled_proposes_nothing(
    step: Take, github: Github, model: ScriptedServer, workspace: Path
) -> None:
    def answer(prompt: str, count: int) -> dict[str, Any]:
        if len(model.requests) == 1:  # it is sent while the model is being waited for
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        return {**quizmaster.answer(prompt, count), "latency": 3.0}

    model.script = model.script._replace(answer=answer)
    done = step()
    assert done.code == 143
    assert "cancelled" in "".join(done.told)
    assert github.calls("POST") == []
    assert not (workspace / FROZEN).exists()


@pytest.mark.parametrize(
    ("permissions", "asked"),
    [(READER, "contents: write"), ({"contents": "write"}, "pull-requests: read")],
)
def test_a_token_that_may_not(
    step: Take, github: Github, permissions: dict[str, str], asked: str
) -> None:
    github.tokens[READING] = Token(permissions=permissions)
    done = step(GITHUB_TOKEN=READING)
    assert done.code == 2
    assert done.outputs["exit-code"] == "2"
    assert done.outputs["cases"] == "2"
    assert done.summary.startswith("## ⚠️ ragproof regenerated the dataset but could not propose")
    assert "2 added" in done.summary
    [error] = done.told
    assert error.startswith("::error ")
    assert f"`permissions: {asked}`" in error


def test_the_setting_that_forbids_it(step: Take, github: Github) -> None:
    github.may_open_pulls = False
    done = step()
    assert done.code == 2
    assert "Allow GitHub Actions to create and approve pull requests" in done.out
    by_hand = f"https://github.example/octo-org/octo-repo/compare/main...{BRANCH}?expand=1"
    assert by_hand in done.summary


@pytest.mark.parametrize(
    ("inputs", "changes", "said"),
    [
        (("--out=x.jsonl",), {}, "needs a corpus"),
        (SETS, {"GITHUB_TOKEN": ""}, "there is no token"),
        (SETS, {"GITHUB_REF": "refs/pull/1/merge", "event": "pull_request"}, "about no branch"),
        (SETS, {"GITHUB_REF": "refs/tags/v1"}, "about no branch"),
        ((*SETS, "--branch=main"), {}, "to itself"),
        ((*SETS, "--branch=a b"), {}, "is no name"),
        (("--corpus=docs", "--out=../x.jsonl"), {}, "no place in the repository"),
        (("--corpus=docs", "--out=.git/x.jsonl"), {}, "no place in the repository"),
        (("--corpus=nowhere", f"--out={REVIEW}"), {}, "nowhere"),
        (SETS, {"event": "pull_request_target"}, "what strangers wrote"),
        ((*SETS, "--base-url=http://user:pw@host/"), {}, "BASE_URL"),
        ((*SETS, "--qa=-1"), {}, "--qa"),
    ],
)
def test_what_cannot_be_costs_nothing(
    step: Take,
    github: Github,
    model: ScriptedServer,
    inputs: tuple[str, ...],
    changes: dict[str, str],
    said: str,
) -> None:
    done = step(*inputs, **changes)
    assert done.code in (2, 3)
    assert said in done.err
    assert model.requests == []
    assert github.calls("POST") == []


def test_a_branch_that_people_work_on_costs_nothing(
    step: Take, github: Github, model: ScriptedServer
) -> None:
    github.git.commit(BRANCH, {"mine": b"mine"})
    done = step()
    assert done.code == 2
    assert "a commit that ragproof did not make" in done.err
    assert model.requests == []


def test_github_that_fails_for_a_moment(step: Take, github: Github) -> None:
    github.faults.append(Fault("POST", "/git/refs", "drop", after=True))
    github.faults.append(Fault("POST", "/pulls", status=502, after=True))
    done = step()
    assert done.outputs["pull-request-url"] == PULL
    assert len(github.pulls) == 2


def test_texts_that_try_to_break_out(step: Take, workspace: Path, github: Github) -> None:
    evil = "The `lock` | @octocat ::error::x <!-- ragproof key= --> </details> of #1 is ![x](y) `"
    (workspace / "docs" / "e`v<i>l|@x.md").write_text(f"{evil} never opened.\n")
    done = step("--corpus=docs", f"--out={REVIEW}", "--qa=4")
    assert done.code == 0, done.err
    assert "octocat" in done.summary
    for text in (done.summary, github.pulls[2].body or ""):
        plain = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
        assert "octocat" not in plain
        assert "<!--" not in text
        assert text.count("<details") == text.count("</details>") - text.count("`</details>")
    assert not [line for line in done.out.splitlines() if line.startswith("::error")]


# The gate


@pytest.fixture
def gated(workspace: Path) -> Iterator[str]:
    """A configuration that asks the demo's endpoint; gives its address."""
    with DemoServer() as server:
        (workspace / "ragproof.yml").write_text(
            "endpoint:\n  url: http://127.0.0.1:9/\n  body: {question: '{question}'}\n"
            "  response: {answer: $.answer, chunks: '$.chunks[*]',"
            " chunk: {id: $.id, text: $.text}}\n"
            f"dataset: {FROZEN}\ngate: {{thresholds: {{retrieval.hit@5: {{min: 0}}}}}}\n"
        )
        yield f"{server.url}/query"


def test_the_gate_names_cases_whose_source_changed(
    step: Take, github: Github, workspace: Path, gated: str
) -> None:
    step()
    inputs = ("--mode=gate", f"--endpoint={gated}", "--comment=never")
    assert "corpus" not in step(*inputs).summary.partition("| Metric")[0]
    assert "corpus" not in step(*inputs, "--corpus=docs").summary.partition("| Metric")[0]
    cases = load_dataset(workspace / FROZEN).cases
    for name in DOCUMENTS:
        (workspace / "docs" / name).write_text("Closed for the winter until further notice.\n")
    done = step(*inputs, "--corpus=docs")
    first = done.summary.partition("| Metric")[0]
    assert "**The corpus changed under** 2 cases, whose sources changed:" in first
    assert all(f"`{case.id}`" in first for case in cases)
    done = step(*inputs, "--corpus=nowhere")
    assert "nowhere" in "".join(done.told)
    assert done.summary
    assert os.environ["GITHUB_TOKEN"] == WRITING
