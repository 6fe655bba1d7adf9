"""``ragproof run``: a real endpoint, from a frozen set to a verdict."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragproof.demo.server import DemoServer
from ragproof.evaluation import Evaluation

Ragproof = Callable[..., Any]
Change = Callable[..., Path]


def run_file(folder: Path, name: str = "ragproof-out") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / name / "run.json").read_text(encoding="utf-8"))
    return data


def test_a_good_endpoint_passes(ask: Ragproof, folder: Path) -> None:
    done = ask()
    assert done.code == 0
    assert "\nPASS\n" in done.out
    assert "asking 80 cases" in done.err
    written = sorted(path.name for path in (folder / "ragproof-out").iterdir())
    assert written == ["junit.xml", "report.md", "responses.jsonl", "run.json"]
    run = run_file(folder)
    assert run["verdict"] == "pass"
    assert run["dataset"]["frozen"]
    assert len(run["cases"]) == run["dataset"]["cases"] == 80
    assert ET.parse(folder / "ragproof-out" / "junit.xml").getroot().get("failures")


def test_a_worse_endpoint_fails(ragproof: Ragproof, worse: DemoServer, folder: Path) -> None:
    done = ragproof("run", "--endpoint", f"{worse.url}/query", "--out", "elsewhere")
    assert done.code == 1
    assert "\nFAIL\n  retrieval.recall@5 is 0.3846, below 0.9\n" in done.out
    assert "required cases fail: qa-safety-officer" in done.out
    assert run_file(folder, "elsewhere")["exit_code"] == 1


def test_select_and_limit(ask: Ragproof, folder: Path) -> None:
    done = ask("--select", "kind=qa,tag=billing", "--limit", 3, "--no-gate")
    assert done.code == 0
    assert "NOT GATED" in done.out
    run = run_file(folder)
    assert (run["select"], run["limit"], run["gate"]) == ("kind=qa,tag=billing", 3, None)
    assert [case["kind"] for case in run["cases"]] == ["qa"] * 3
    assert run["dataset"] | {"hash": "", "path": ""} == {
        "path": "",
        "hash": "",
        "frozen": True,
        "cases": 80,
        "selected": 3,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "id=nobody"], "no case is selected: none of 80 matches id=nobody"),
        (["--select", "kind=injection"], "gate.thresholds: retrieval.recall@5 is about qa cases"),
        (["--select", "kid=qa"], "cannot read 'kid=qa' in the selection"),
        (["--select", ""], "cannot read ''"),
        (["--limit", "0"], "Invalid value for '--limit'"),
        (["--limit", "x"], "Invalid value for '--limit'"),
        (["--dataset", "missing.jsonl"], "dataset missing.jsonl does not exist"),
        (["--dataset", "."], "dataset . cannot be read: it is not a regular file"),
        (["--config", "missing.yml"], "configuration missing.yml does not exist"),
        (["--config", "."], "configuration . cannot be read: it is not a regular file"),
        (["--expected-hash", "00"], "expected 00"),
        (["--expected-hash", ""], "expected "),
        (["--responses", "r.jsonl"], "--responses and --endpoint exclude each other"),
        (["--endpoint", "http://["], "endpoint"),
        (["--endpoint", "file:///etc/passwd"], "endpoint"),
        (["--endpoint", ""], "endpoint"),
    ],
)
def test_what_is_refused_before_any_question(
    ask: Ragproof, folder: Path, options: list[str], message: str
) -> None:
    done = ask(*options)
    assert done.code == 3
    assert done.err.startswith("error: ")
    assert message in done.err
    assert "  hint: " in done.err
    assert "asking" not in done.err
    assert not (folder / "ragproof-out" / "responses.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[qa-safety-officer]", "[nobody]"), "gate.required.cases: there is no case 'nobody'"),
        (("tag=billing", "tag=nothing"), "retrieval.recall@5[tag=nothing] is about qa cases with"),
        (("retrieval.mrr", "retrieval.mr"), "there is no metric 'retrieval.mr'"),
        (("    citations: $.citations\n", ""), "citation.validity needs citations"),
        (("endpoint:", "endpont:"), "unknown key; did you mean endpoint?"),
        (("dataset: dataset.frozen.json\n", ""), "dataset is missing"),
        (("dataset.frozen.json", '"a\\0b"'), "embedded null"),
        (("top_k:", "token: ${RAGPROOF_NOT_SET}\n    top_k:"), "${RAGPROOF_NOT_SET} is not set"),
        (("top_k:", "token: ${HOME}\n    top_k:"), "allow it with --env HOME"),
    ],
)
def test_a_configuration_that_cannot_be(
    ask: Ragproof, config: Change, change: tuple[str, str], message: str
) -> None:
    config(*change)
    done = ask()
    assert done.code == 3
    assert message in done.err
    assert "asking" not in done.err


def test_a_gate_that_enforces_nothing(ask: Ragproof, folder: Path) -> None:
    path = folder / "ragproof.yml"
    path.write_text(path.read_text().partition("\ngate:")[0])
    done = ask()
    assert done.code == 3
    assert "the gate would pass whatever the endpoint answers" in done.err
    assert ask("--no-gate").code == 0


def test_a_gate_on_cases_that_are_not_asked(ask: Ragproof, folder: Path) -> None:
    path = folder / "ragproof.yml"
    start = path.read_text().partition("\n  thresholds:")[0]
    path.write_text(f"{start}\n  required: {{cases: [qa-safety-officer]}}\n")
    done = ask("--limit", 1)
    assert done.code == 3
    assert "none of the required cases is among the cases at hand" in done.err
    assert ask("--select", "id=qa-safety-officer").code == 0


def test_env_allows_a_variable_and_keeps_it_secret(
    ask: Ragproof, config: Change, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cr3t-value-x")
    config("  timeout: 10\n", "  timeout: 10\n  headers: {Authorization: 'Bearer ${MY_TOKEN}'}\n")
    assert ask().code == 3
    done = ask("--env", "MY_TOKEN")
    assert done.code == 0
    files = [path.read_text() for path in (folder / "ragproof-out").iterdir()]
    assert not any("s3cr3t-value-x" in text for text in [done.out, done.err, *files])


def test_the_right_hash_is_taken_in_either_case(ask: Ragproof, folder: Path) -> None:
    meta = json.loads((folder / "dataset.frozen.json").read_text())["meta"]
    assert ask("--expected-hash", meta["dataset_hash"].upper()).code == 0


def test_plain_lines_are_marked_not_frozen(ask: Ragproof, folder: Path) -> None:
    done = ask("--dataset", "dataset.jsonl")
    assert done.code == 0
    assert "warning: dataset.jsonl is not frozen" in done.err
    run = run_file(folder)
    assert not run["dataset"]["frozen"]
    assert (
        run["dataset"]["hash"]
        == json.loads((folder / "dataset.frozen.json").read_text())["meta"]["dataset_hash"]
    )
    rows = (folder / "dataset.jsonl").read_text().splitlines()
    assert json.loads(rows[run["cases"][5]["line"] - 1])["id"] == run["cases"][5]["id"]


def test_an_endpoint_that_is_down_is_no_regression(
    ragproof: Ragproof, folder: Path, config: Change
) -> None:
    config("timeout: 10", "timeout: 10\n  retries: 0")
    done = ragproof("run", "--endpoint", "http://127.0.0.1:9/query", "-o", "down")
    assert done.code == 2
    assert "COULD NOT JUDGE" in done.out
    run = run_file(folder, "down")
    assert run["verdict"] == "error"
    assert run["counts"] == {"pass": 0, "fail": 0, "unscored": 0, "error": 80}


def test_a_fault_of_ours_loses_nothing_that_was_measured(
    ask: Ragproof, folder: Path, config: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    take = Evaluation.take

    def breaking(evaluation: Evaluation, index: int, *rest: Any) -> Any:
        taken.append(index)
        if len(taken) == 4:
            raise RuntimeError("a fault")
        return take(evaluation, index, *rest)

    monkeypatch.setattr(Evaluation, "take", breaking)
    config("concurrency: 8", "concurrency: 1")
    assert ask().code == 2
    part = (folder / "ragproof-out" / "responses.jsonl.part").read_text(encoding="utf-8")
    assert len(part.splitlines()) == 1 + 4


def test_a_run_that_was_stopped_early_scores_again_to_the_same_bytes(
    ragproof: Ragproof, folder: Path, config: Change
) -> None:
    config("timeout: 10", "timeout: 10\n  retries: 0")
    assert ragproof("run", "--endpoint", "http://127.0.0.1:9/query", "-o", "down").code == 2
    failures = [case["failure"] for case in run_file(folder, "down")["cases"]]
    assert "asking was stopped" in failures[-1]["message"]
    assert ragproof("run", "--responses", "down/responses.jsonl", "-o", "again").code == 2
    assert (folder / "again/run.json").read_bytes() == (folder / "down/run.json").read_bytes()


@pytest.mark.parametrize(
    ("match", "part", "other"),
    [
        ("document", "document_id", "id: $.id"),
        ("evidence", "text", "id: $.id"),
        ("chunk", "id", "text: $.text"),
        ("prefix", "id", "text: $.text"),
    ],
)
def test_sources_that_the_mapping_cannot_match(
    ask: Ragproof, config: Change, match: str, part: str, other: str
) -> None:
    config(
        "source_match: chunk", f"source_match: {match}",
        "      id: $.id\n      text: $.text\n", f"      {other}\n",
        "      score: $.score\n      document_id: $.metadata.document_id\n", "",
    )  # fmt: skip
    done = ask()
    assert done.code == 3
    assert f"source_match: {match} needs {part}" in done.err
    assert "map chunk." in done.err


def test_replacements_that_cannot_work(ask: Ragproof, config: Change) -> None:
    config("source_match: chunk", "source_match: chunk\nreplace: [{pattern: a, with: '\\1'}]")
    done = ask()
    assert done.code == 3
    assert "replace" in done.err


def test_saved_responses_give_the_same_bytes_everywhere(
    ask: Ragproof, ragproof: Ragproof, spawn: Ragproof, folder: Path
) -> None:
    assert ask().code == 0
    first = (folder / "ragproof-out" / "run.json").read_bytes()
    saved = folder / "ragproof-out" / "responses.jsonl"
    again = ("run", "--responses", saved, "--out")
    assert ragproof(*again, "again").code == 0
    assert (folder / "again" / "run.json").read_bytes() == first
    for number, env in enumerate(
        (
            {"LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1"},
            {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR", "PYTHONHASHSEED": "77", "PYTHONUTF8": "0"},
        )
    ):
        assert spawn(*again, f"out{number}", env=env).returncode == 0
        for name in ("run.json", "report.md", "junit.xml"):
            other = (folder / f"out{number}" / name).read_bytes()
            assert other == (folder / "again" / name).read_bytes()


def test_one_worker_and_many_give_the_same_run(ask: Ragproof, config: Change, folder: Path) -> None:
    def measured() -> dict[str, Any]:
        run = run_file(folder)
        run["responses"] = run["endpoint"] = None
        for row in [*run["metrics"], *run["gate"]["thresholds"]]:
            if "latency" in row.get("name", row.get("metric")):
                row["value"] = None
        for case in run["cases"]:
            case["latency_s"] = None
        return run

    config("concurrency: 8", "concurrency: 1")
    assert ask().code == 0
    one = measured()
    config("concurrency: 1", "concurrency: 64")
    assert ask().code == 0
    assert measured() == one


def saved_rows(saved: Path) -> list[str]:
    return (saved / "responses.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


@pytest.fixture
def rescore(ragproof: Ragproof, folder: Path) -> Callable[[list[str]], Any]:
    def rescore(rows: list[str]) -> Any:
        (folder / "r.jsonl").write_text("".join(rows), encoding="utf-8")
        return ragproof("run", "--responses", "r.jsonl")

    return rescore


def test_a_cut_last_line_is_left_out(
    rescore: Callable[[list[str]], Any], saved: Path, folder: Path
) -> None:
    rows = saved_rows(saved)
    done = rescore([*rows[:-2], rows[-2][:40]])
    assert done.code == 2
    assert "the run is incomplete: 79 of 80 cases were answered" in done.out
    run = run_file(folder)
    assert not run["complete"]
    assert run["counts"]["error"] == 1


def test_missing_cases_are_errors(
    rescore: Callable[[list[str]], Any], saved: Path, folder: Path
) -> None:
    rows = saved_rows(saved)
    done = rescore([*rows[:30], *rows[50:]])
    assert done.code == 2
    assert "20 of 80 cases could not be asked: coverage 0.75 is below 0.95" in done.out
    failures = [case["failure"] for case in run_file(folder)["cases"] if "failure" in case]
    assert {one["kind"] for one in failures} == {"not_asked"}
    assert failures[0]["message"] == "r.jsonl holds no response to it"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda rows: [*rows[:5], "garbage\n", *rows[5:]], "r.jsonl:6: not a line of saved"),
        (lambda rows: [*rows[:5], "[]\n", *rows[5:]], "r.jsonl:6: "),
        (lambda rows: [*rows[:5], '{"case": 5}\n', *rows[5:]], "r.jsonl:6: "),
        (lambda rows: [*rows[:5], rows[4], *rows[5:]], "twice"),
        (lambda rows: ['{"schema": "other/9"}\n', *rows[1:]], "r.jsonl:1: "),
    ],
)
def test_responses_that_are_none(
    rescore: Callable[[list[str]], Any],
    saved: Path,
    edit: Callable[[list[str]], list[str]],
    message: str,
) -> None:
    done = rescore(edit(saved_rows(saved)))
    assert done.code == 3
    assert message in done.err


@pytest.mark.parametrize("name", ["missing", ".", "fifo"])
def test_responses_that_are_no_file(ragproof: Ragproof, folder: Path, name: str) -> None:
    done = ragproof("run", "--responses", name if name != "fifo" else "/dev/null")
    assert done.code in (2, 3)
    assert "unexpected" not in done.err
    assert not (folder / "ragproof-out" / "report.md").exists() or done.code == 2


def test_an_answer_to_another_question_is_none(
    rescore: Callable[[list[str]], Any], saved: Path, folder: Path
) -> None:
    rows = saved_rows(saved)
    row = json.loads(rows[1])
    row["question_sha256"] = "0" * 16
    assert rescore([rows[0], json.dumps(row) + "\n", *rows[2:]]).code == 0
    (failed,) = (case for case in run_file(folder)["cases"] if case["outcome"] == "error")
    assert failed["failure"]["message"] == "the saved response answers another question"


@pytest.mark.parametrize("where", ["file", "file/below", "/proc/nowhere", "read-only"])
def test_an_output_folder_that_cannot_be(ask: Ragproof, folder: Path, where: str) -> None:
    (folder / "file").write_text("mine")
    (folder / "read-only").mkdir(mode=0o555)
    if where == "read-only" and os.access(folder / "read-only", os.W_OK):
        pytest.skip("permissions do not bind this user")
    done = ask("--out", where)
    assert done.code == 2
    assert "error: cannot" in done.err
    assert "--out" in done.err
    assert (folder / "file").read_text() == "mine"


def test_a_disk_that_fills_up_leaves_the_old_files(
    spawn: Ragproof, ask: Ragproof, server: DemoServer, folder: Path
) -> None:
    import resource

    assert ask().code == 0
    out = folder / "ragproof-out"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for size in (2_000, 60_000, 100_000):
        done = spawn(
            *("run", "--responses", out / "responses.jsonl"),
            preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )
        if done.returncode == 0:
            continue
        assert done.returncode == 2
        assert "File too large" in done.stderr
        assert "Traceback" not in done.stderr
        after = {path.name: path.read_bytes() for path in out.iterdir()}
        assert after.keys() == before.keys()
        assert after["run.json"] == before["run.json"]
    assert size > len(before["run.json"]) > 2_000


def test_interrupted_while_asking_keeps_what_was_answered(
    folder: Path, config: Change, server: DemoServer
) -> None:
    config(
        "concurrency: 8", "concurrency: 1\n  rate_limit: 20", "http://127.0.0.1:8000", server.url
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "ragproof", "run"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    part = folder / "ragproof-out" / "responses.jsonl.part"
    deadline = time.monotonic() + 20
    while not (part.exists() and part.read_text().count("\n") > 3):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "cancelled: partial results, marked incomplete" in err
    assert "Traceback" not in err
    assert "COULD NOT JUDGE" in out
    run = run_file(folder)
    assert not run["complete"]
    assert 2 < run["counts"]["pass"] + run["counts"]["fail"] < 80


def test_known_failures_are_told(ask: Ragproof, config: Change) -> None:
    config("  required:", "  allow_failing: [qa-no-show, qa-longest-rental]\n  required:")
    done = ask()
    assert "known to fail: qa-no-show\n" in done.out
    assert "known to fail, but pass now: take them off gate.allow_failing: qa-lon" in done.out
    assert "\n  qa-no-show" not in done.out


HOSTILE = (
    "::error::pwned",
    "x\n::set-output name=a::b",
    "x\r\n\t ::add-mask::y",
    "\u00a0::warning::w",
    "##[command]rm",
    "x\n##[error]e",
    "\x1b[31m::notice::n",
    "a\u2028::debug::d",
    "a\x85::debug::d",
    "PASS\n\nPASS",
    "`|<!-- @team #1 </details>",
    "é漢\u202e",
)


def test_hostile_ids_and_questions_command_nobody(
    ask: Ragproof, ragproof: Ragproof, cases: Callable[..., Path], folder: Path, config: Change
) -> None:
    names = [text[:150] for text in HOSTILE]
    path = cases(*({"id": text, "question": f"{text} rent"} for text in names))
    required = json.dumps(names)  # YAML reads JSON, but for characters beyond the first plane
    (folder / "ragproof.yml").write_text(
        (folder / "ragproof.yml").read_text().partition("\n  thresholds:")[0]
        + f"\n  required: {{cases: {required}}}\n"
    )
    done = ask("--dataset", path)
    assert done.code == 1
    assert "required cases fail" in done.out
    assert "PASS\n" not in done.out
    frozen = ragproof("freeze", path)
    assert frozen.code == 0
    text = (folder / "cases.frozen.json").read_text()
    (folder / "cases.frozen.json").write_text(text.replace(" rent", " lend"))
    changed = ragproof("verify", "cases.frozen.json")
    assert changed.code == 3
    assert "changed: " in changed.err
    cases(*({"id": text, "question": "other"} for text in [*names[1:], "::new::"]))
    differing = ragproof("diff", path, "dataset.jsonl")
    assert differing.code == 0
    twice = cases(*({"id": text, "taggs": 1} for text in names), {"id": names[0], "::f::": 1})
    assert ragproof("freeze", twice).code == 3
    gated = ragproof("gate", "ragproof-out/run.json")
    assert gated.code == 1
    assert ragproof("report", "ragproof-out/run.json").code == 0


def test_the_old_run_stays_when_the_new_one_is_refused(ask: Ragproof, folder: Path) -> None:
    assert ask("--no-gate", "--limit", 1).code == 0
    before = (folder / "ragproof-out" / "run.json").read_bytes()
    assert ask("--limit", 1).code == 3
    assert (folder / "ragproof-out" / "run.json").read_bytes() == before
    shutil.rmtree(folder / "ragproof-out")
