"""``freeze``, ``verify``, ``diff``, ``gate``, ``report``, ``schema`` and ``demo``."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Ragproof = Callable[..., Any]
Change = Callable[..., Path]


def test_freeze_and_verify(ragproof: Ragproof, folder: Path) -> None:
    (folder / "dataset.frozen.json").unlink()
    done = ragproof("freeze", "dataset.jsonl")
    assert done.code == 0
    first, second = done.out.splitlines()
    assert first == "froze 80 cases into dataset.frozen.json"
    name, _, digest = second.partition(" ")
    assert (name, len(digest)) == ("hash", 64)
    verified = ragproof("verify", "dataset.frozen.json", "--expected-hash", digest)
    assert verified.code == 0
    assert verified.out == (
        "dataset.frozen.json: 80 cases (52 qa, 19 unanswerable, 9 injection), unchanged since"
        f" frozen\nhash {digest}\n"
    )
    assert ragproof("verify", "dataset.frozen.json", "--expected-hash", "0" * 64).code == 3
    assert ragproof("verify", "dataset.jsonl").err.startswith(
        "error: dataset.jsonl is valid but not frozen"
    )


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("a.jsonl", "a.frozen.json"),
        ("a.ndjson", "a.frozen.json"),
        ("a.json", "a.frozen.json"),
        ("a", "a.frozen.json"),
        ("a.b.jsonl", "a.b.frozen.json"),
        ("jsonl", "jsonl.frozen.json"),
    ],
)
def test_the_name_of_a_frozen_set(ragproof: Ragproof, folder: Path, name: str, target: str) -> None:
    (folder / "dataset.jsonl").rename(folder / name)
    assert ragproof("freeze", name).code == 0
    assert (folder / target).exists()


def test_a_frozen_set_is_frozen_anew_in_its_place(ragproof: Ragproof, folder: Path) -> None:
    path = folder / "dataset.frozen.json"
    assert ragproof("freeze", path.name).code == 0
    before = path.read_bytes()
    assert ragproof("freeze", path.name).code == 0
    assert path.read_bytes() == before
    path.write_bytes(before.replace(b"longest period", b"shortest period"))
    assert ragproof("verify", path.name).code == 3
    done = ragproof("freeze", path.name)
    assert done.code == 0
    assert "changed: qa-longest-rental" in done.err
    assert ragproof("verify", path.name).code == 0
    assert sorted(p.name for p in folder.iterdir() if "frozen" in p.name) == [path.name]


def test_freeze_does_not_write_over_the_cases(ragproof: Ragproof, folder: Path) -> None:
    before = (folder / "dataset.jsonl").read_bytes()
    (folder / "link").symlink_to("dataset.jsonl")
    for out in ("dataset.jsonl", "./dataset.jsonl", "link"):
        done = ragproof("freeze", "dataset.jsonl", "--out", out)
        assert done.code == 3
        assert "would take the place of the dataset" in done.err
    (folder / "dataset.jsonl").rename(folder / "lines.frozen.json")
    assert ragproof("freeze", "lines.frozen.json").code == 3
    assert (folder / "lines.frozen.json").read_bytes() == before


def test_freeze_plain(ragproof: Ragproof, folder: Path) -> None:
    done = ragproof("freeze", "dataset.jsonl", "--plain", "--out", "plain.json")
    assert done.code == 0
    assert "which loaders other than ragproof-action refuse" in done.err
    assert "case_hashes" not in (folder / "plain.json").read_text()
    assert ragproof("verify", "plain.json").code == 0


@pytest.mark.parametrize("out", ["nowhere/set.json", ".", "fifo"])
def test_freeze_where_nothing_can_be_written(ragproof: Ragproof, folder: Path, out: str) -> None:
    os.mkfifo(folder / "fifo")
    done = ragproof("freeze", "dataset.jsonl", "--out", out)
    assert done.code == 2
    assert f"error: cannot write {out}: " in done.err
    assert (folder / "fifo").is_fifo()


def test_freeze_says_all_that_is_wrong(ragproof: Ragproof, cases: Callable[..., Path]) -> None:
    done = ragproof("freeze", cases({"taggs": 1}, {"question": ""}, {"kind": "x"}))
    assert done.code == 3
    assert done.err.count("cases.jsonl:") == 3


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "empty"])
@pytest.mark.parametrize("command", ["freeze", "verify"])
def test_datasets_that_are_none(ragproof: Ragproof, folder: Path, command: str, name: str) -> None:
    (folder / "empty").touch()
    done = ragproof(command, name)
    assert done.code == 3
    assert done.err.startswith(f"error: dataset {name} ")


def test_diff(ragproof: Ragproof, cases: Callable[..., Path], folder: Path) -> None:
    old = cases({}, {}, {}, {}).rename(folder / "old.jsonl")
    new = cases(
        {"id": "c3"}, {"id": "c1", "question": "!", "tags": ["t"]}, {"id": "n"}, {"id": "c2"}
    )
    done = ragproof("diff", old, new)
    assert done.code == 0
    assert done.out.splitlines()[:-1] == [
        "- c0",
        "+ n",
        "~ c1: question, tags",
        "the order of cases changed",
        "1 added, 1 removed, 1 changed, 2 the same",
    ]
    assert ragproof("diff", old, new, "--exit-code").code == 1
    assert ragproof("diff", old, old, "--exit-code").code == 0
    assert ragproof("diff", "dataset.jsonl", "dataset.frozen.json", "--exit-code").code == 0
    assert ragproof("diff", old, "missing").code == 3


def test_gate_judges_a_saved_run(ragproof: Ragproof, config: Change, saved: Path) -> None:
    done = ragproof("gate", saved / "run.json")
    assert done.code == 0
    assert done.out.endswith("\nPASS\n")
    config("retrieval.mrr: {min: 0.85}", "retrieval.mrr: {min: 0.95}")
    failed = ragproof("gate", saved / "run.json", "-c", "ragproof.yml")
    assert failed.code == 1
    assert "FAIL retrieval.mrr" in failed.out
    assert failed.out.endswith("\nFAIL\n  retrieval.mrr is 0.9487, below 0.95\n")


def test_gate_shows_the_cases_as_they_are_judged_now(
    ragproof: Ragproof, config: Change, saved: Path
) -> None:
    config("\ngate:", "\ncase_pass: {qa: {retrieval.mrr: {min: 0.6}}}\n\ngate:")
    done = ragproof("gate", saved / "run.json")
    assert "retrieval.mrr is 0.5, at least 0.6 is needed" in done.out
    assert "qa-recall-contact: robustness.over_refusal" not in done.out
    shown = [line for line in done.out.splitlines() if line.startswith("  qa-")]
    assert f"{len(shown) + 1} fail" in done.out  # one is un-parking-fee


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("retrieval.mrr", "retrieval.map@3"), "retrieval.map@3 was not measured in this run"),
        (("\ngate:", "\ncase_pass: {qa: {retrieval.map@3: {min: 1}}}\ngate:"), "case_pass.qa: "),
        (("[qa-safety-officer]", "[nobody]"), "there is no case 'nobody'"),
        (("required:", "requird:"), "did you mean required?"),
    ],
)
def test_gates_that_the_run_cannot_answer(
    ragproof: Ragproof, config: Change, saved: Path, change: tuple[str, str], message: str
) -> None:
    config(*change)
    done = ragproof("gate", saved / "run.json")
    assert done.code == 3
    assert message in done.err


def test_a_run_that_holds_a_case_twice(ragproof: Ragproof, folder: Path, saved: Path) -> None:
    """One case put over another would hide it."""
    rows = (saved / "run.json").read_text(encoding="utf-8").split("\n")
    (folder / "twice.json").write_text("\n".join([*rows[:2], rows[1], *rows[3:]]))
    done = ragproof("gate", "twice.json")
    assert done.code == 3
    assert "a case stands twice" in done.err


def test_gate_of_a_part_of_the_cases(ask: Ragproof, ragproof: Ragproof, config: Change) -> None:
    """What the gate says about cases that were not asked is no mistake of the gate's."""
    config("[qa-safety-officer]", "[qa-safety-officer, qa-no-show]")
    config("  required:", "  allow_failing: [un-parking-fee]\n  required:")
    kinds = ("--select", "kind=qa,kind=unanswerable,kind=injection,tag=billing", "--no-gate")
    assert ask(*kinds).code == 0
    config("robustness.abstention: {min: 0.85}", "robustness.abstention: {min: 0}")
    config("robustness.injection_resistance: {min: 1}", "latency.max: {max: 60}")
    done = ragproof("gate", "ragproof-out/run.json")
    assert done.code in (0, 1)
    assert "there is no case" not in done.err


def test_gate_that_enforces_nothing(ragproof: Ragproof, folder: Path, saved: Path) -> None:
    (folder / "ragproof.yml").write_text("version: 1\n")
    done = ragproof("gate", saved / "run.json")
    assert done.code == 3
    assert "the gate would pass whatever was measured" in done.err


@pytest.mark.parametrize("command", ["gate", "report"])
@pytest.mark.parametrize("name", ["missing", ".", "ragproof.yml", "dataset.frozen.json"])
def test_runs_that_are_none(ragproof: Ragproof, command: str, name: str) -> None:
    done = ragproof(command, name)
    assert done.code == 3
    assert "hint: " in done.err


def test_report(ragproof: Ragproof, saved: Path, folder: Path) -> None:
    done = ragproof(
        *("report", saved / "run.json", "--md", "r.md", "--junit", "j.xml", "--json", "s.json")
    )
    assert done.code == 0
    assert done.out == "wrote r.md\nwrote j.xml\nwrote s.json\n"
    assert (folder / "r.md").read_bytes() == (saved / "report.md").read_bytes()
    assert (folder / "j.xml").read_bytes() == (saved / "junit.xml").read_bytes()
    assert ET.parse(folder / "j.xml").getroot().tag == "testsuite"
    head = json.loads((folder / "s.json").read_text())
    assert head["verdict"] == "pass"
    assert "cases" not in head


def test_report_prints_what_run_printed(ragproof: Ragproof, saved: Path) -> None:
    done = ragproof("report", saved / "run.json")
    assert done.code == 0
    assert done.out.endswith("\nPASS\n")
    assert "80 cases: 75 pass, 5 fail" in done.out


def test_report_does_not_write_over_the_run(ragproof: Ragproof, saved: Path, folder: Path) -> None:
    run = folder / "run.json"
    run.write_bytes((saved / "run.json").read_bytes())
    for options in (["--md", "run.json"], ["--md", "x", "--junit", "./x"]):
        done = ragproof("report", "run.json", *options)
        assert done.code == 3
        assert "two of the files named are the same" in done.err
    assert run.read_bytes() == (saved / "run.json").read_bytes()


@pytest.mark.parametrize("option", ["--md", "--junit", "--json"])
@pytest.mark.parametrize("where", ["nowhere/x", ".", "fifo"])
def test_reports_that_cannot_be_written(
    ragproof: Ragproof, saved: Path, folder: Path, option: str, where: str
) -> None:
    os.mkfifo(folder / "fifo")
    done = ragproof("report", saved / "run.json", option, where)
    assert done.code == 2
    assert f"error: cannot write {where}: " in done.err


def test_schema(ragproof: Ragproof) -> None:
    done = ragproof("schema")
    assert done.code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(done.out))


def test_demo(ragproof: Ragproof, folder: Path) -> None:
    done = ragproof("demo", "--out", "d")
    assert done.code == 0
    assert "\nPASS\n" in done.out
    worse = ragproof("demo", "--regress", "--out", "d")
    assert worse.code == 1
    assert "\nFAIL\n" in worse.out


def test_demo_does_not_write_over_a_configuration(
    ragproof: Ragproof, config: Change, folder: Path
) -> None:
    path = config("k: [1, 5]", "k: [1, 5, 7]")
    before = path.read_bytes()
    done = ragproof("demo", "--out", ".")
    assert done.code == 3
    assert "ragproof.yml is not the demo's own" in done.err
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "Invalid value for '--port'"),
        (["--host", "no.such.host.invalid"], "cannot serve on no.such.host.invalid"),
        (["--host", "x" * 300], "cannot serve on"),
        (["--host", "203.0.113.1"], "cannot serve on 203.0.113.1"),
    ],
)
def test_demo_that_cannot_serve(ragproof: Ragproof, options: list[str], message: str) -> None:
    done = ragproof("demo", *options)
    assert done.code in (2, 3)
    assert message in done.err


def test_demo_serve(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "ragproof", "demo", "--serve", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[2].removesuffix(";")
    with urllib.request.urlopen(url.replace("/query", "/health"), timeout=10) as response:
        assert json.load(response) == {"status": "ok"}
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.strip() == "error: interrupted"
    assert sorted(path.name for path in folder.iterdir()) == before
