"""``ragproof generate`` and ``ragproof stale``, on real files against a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from genkit import HONEST, kind_of, passages_of, question_on
from scripted import Script, ScriptedServer, Step

from ragproof.cli import console, main
from ragproof.dataset.load import load_dataset
from ragproof.records import Case, Kind
from ragproof.redact import Redactor
from ragproof.scoring.injection import judge_injection
from ragproof.scoring.payloads import BUILT_IN

KEY = "sk-test-generate-0123456789"
TOPICS = (
    *("kayak", "tent", "hut", "ferry", "sauna", "bridge", "museum", "lantern", "compass", "stove"),
    *("ladder", "anchor", "paddle", "sledge", "mirror", "kettle", "blanket", "whistle", "ribbon"),
)


def paragraph(topic: str) -> str:
    number = TOPICS.index(topic) + 11
    return (
        f"# {topic.title()}\n\nThe {topic} of the valley was built by {topic.title()}son in"
        f" 19{number}."
        f" It is lent for {number} days and weighs {number * 3} kilograms at most.\n"
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A corpus of one document a topic."""
    for topic in TOPICS:
        path = tmp_path / "docs" / ("gear" if topic < "m" else "places") / f"{topic}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(paragraph(topic), encoding="utf-8")
    return tmp_path / "docs"


def honest(prompt: str) -> Step:
    """What a model says that does as it is told."""
    said = HONEST[kind_of(prompt)]
    if kind_of(prompt) == "question":
        topic = re.search(r"# (\w+)", passages_of(prompt)[0])
        assert topic is not None
        text = passages_of(prompt)[0].partition("\n\n")[2]
        item = question_on(text)
        name = topic[1].lower()
        item |= {"question": f"Who built the {name}?", "answer": f"{topic[1]}son"}
        return {"json": {"questions": [item]}}
    said = said(prompt) if callable(said) else said
    return {"json": said}


class Play:
    """A model on loopback. ``says`` is what it answers to a prompt, changed as tests need it."""

    def __init__(self) -> None:
        self.says: Callable[[str], Step] = honest
        self.server = ScriptedServer(Script(lambda prompt, count: self.says(prompt), key=KEY))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def calls(self) -> int:
        return len(self.server.requests)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Play]:
    play = Play()
    for name in [one for one in os.environ if one.startswith("RAGPROOF_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAGPROOF_GEN_MODEL", "scripted")
    monkeypatch.setenv("RAGPROOF_GEN_BASE_URL", play.server.url)
    monkeypatch.setenv("RAGPROOF_GEN_API_KEY", KEY)
    monkeypatch.setenv("RAGPROOF_GEN_MAX_WAIT", "1")
    yield play
    play.server.ending.set()
    play.server.shutdown()
    play.server.server_close()
    console.keep_secret(Redactor())


class Done:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def ragproof(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """Run a command in this process, its working folder being the test's."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        done = Done(int(code), *capfd.readouterr())
        assert "Traceback" not in done.err
        assert KEY not in done.out + done.err
        return done

    return run


@pytest.fixture
def generate(ragproof: Callable[..., Done], docs: Path) -> Callable[..., Done]:
    return lambda *more: ragproof("generate", "--corpus", docs, *more)


def cases_in(path: Path) -> tuple[Case, ...]:
    return load_dataset(path).cases


def ledger_in(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_set_of_all_kinds_that_loads_and_freezes(
    generate: Callable[..., Done], ragproof: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    done = generate("--qa", 6, "--unanswerable", 3, "--injection", 4, "--no-cache")
    assert done.code == 0
    cases = cases_in(tmp_path / "dataset.jsonl")
    assert [case.kind for case in cases] == [Kind.QA] * 6 + [Kind.UNANSWERABLE] * 3 + [
        Kind.INJECTION
    ] * 4
    for case in cases[:6]:
        (source,) = case.expected_source_ids
        assert source.startswith(("gear/", "places/"))
        assert case.tags == (source.partition("/")[0],)
        assert case.evidence[0].quote in (tmp_path / "docs" / source).read_text(encoding="utf-8")
    payloads = {payload.id: payload for payload in BUILT_IN}
    for case in cases[9:]:
        assert payloads[case.adversarial_payload or ""].instruction in case.question
    ledger = ledger_in(tmp_path / "dataset.ledger.json")
    assert ledger["model"] == "openai/scripted"
    assert ledger["cases"]["qa"]["delivered"] == 6
    assert len(ledger["corpus_hash"]) == 64
    assert ledger["usage"]["calls"] == model.calls
    assert "qa: 6 of 6 delivered" in done.out
    assert ragproof("freeze", "dataset.jsonl").code == 0
    meta = ledger_in(tmp_path / "dataset.frozen.json")["meta"]
    assert meta["corpus_hash"] == ledger["corpus_hash"]
    assert meta["generation"]["seed"] == 0
    assert meta["generation"]["prompts"] == ledger["prompts"]
    assert ragproof("verify", "dataset.frozen.json").code == 0
    assert ragproof("stale", "dataset.frozen.json", "--corpus", tmp_path / "docs").code == 0


@pytest.mark.parametrize("ledger", ["", "[]", "{}", "nonsense", '{"seed": NaN}', '{"model": 1}'])
def test_a_ledger_that_says_nothing_is_no_hindrance(
    ragproof: Callable[..., Done], tmp_path: Path, ledger: str
) -> None:
    (tmp_path / "d.jsonl").write_text(
        '{"question": "Why?", "expected_source_ids": ["a"]}\n', "utf-8"
    )
    (tmp_path / "d.ledger.json").write_text(ledger, encoding="utf-8")
    assert ragproof("freeze", "d.jsonl").code == 0
    assert ragproof("verify", "d.frozen.json").code == 0


def test_the_same_again_costs_nothing_and_changes_nothing(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    wanted = ("--qa", 5, "--unanswerable", 2, "--cache", "cache")
    assert generate(*wanted).code == 0
    first, calls = (tmp_path / "dataset.jsonl").read_bytes(), model.calls
    done = generate(*wanted)
    assert done.code == 0
    assert model.calls == calls
    assert (tmp_path / "dataset.jsonl").read_bytes() == first
    assert "about 0 calls" in done.err


def test_an_edited_file_is_not_replaced(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    generate("--qa", 2)
    path = tmp_path / "dataset.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("Who built", "Who has built"), "utf-8")
    calls = model.calls
    done = generate("--qa", 2)
    assert done.code == 3
    assert "--force" in done.err
    assert model.calls == calls
    assert "Who has built" in path.read_text(encoding="utf-8")
    assert generate("--qa", 2, "--force").code == 0
    assert "Who has built" not in path.read_text(encoding="utf-8")


def test_a_wrong_key_writes_nothing(
    generate: Callable[..., Done], model: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGPROOF_GEN_API_KEY", "sk-test-another-one")
    done = generate("--qa", 5)
    assert done.code == 2
    assert "401" in done.err or "key" in done.err
    assert not (tmp_path / "dataset.jsonl").exists()
    assert model.calls <= 8


def test_no_model_is_named(
    generate: Callable[..., Done], model: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGPROOF_GEN_MODEL")
    done = generate("--qa", 5)
    assert done.code == 3
    assert "RAGPROOF_GEN_MODEL" in done.err


def test_a_corpus_of_nothing_asks_no_model(
    ragproof: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert ragproof("generate", "--corpus", "empty", "--qa", 1).code in (2, 3)
    assert ragproof("generate", "--corpus", "nowhere", "--qa", 1).code in (2, 3)
    assert model.calls == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--qa", 0),
        ("--qa", -1),
        ("--generator", "extractive", "--unanswerable", 2),
        ("--generator", "extractive", "--multi-document", 2),
        ("--generator", "extractive", "--prompts", "x"),
        ("--cache", "x", "--no-cache"),
        ("--domain", "poetry"),
        ("--out", "dataset.json"),
        ("--chunk-overlap", 2_000),
        ("--max-cost", 1),
    ],
)
def test_what_cannot_be_is_refused(
    generate: Callable[..., Done], model: Play, tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    done = generate(*arguments)
    assert done.code == 3
    assert "hint" in done.err
    assert model.calls == 0
    assert not list(tmp_path.glob("dataset*"))


def test_many_calls_are_asked_for(
    generate: Callable[..., Done], model: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragproof.cli.generating.CONFIRM_CALLS", 5)
    done = generate("--qa", 5, "--no-cache")
    assert done.code == 3
    assert "--yes" in done.err
    assert model.calls == 0
    assert generate("--qa", 5, "--no-cache", "--yes").code == 0


def test_a_budget_ends_it_and_keeps_what_is_there(
    generate: Callable[..., Done], model: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGPROOF_GEN_BUDGET_TOKENS", "18000")
    monkeypatch.setenv("RAGPROOF_GEN_MAX_TOKENS", "200")
    done = generate("--qa", 15, "--no-cache")
    assert done.code == 0
    assert "the budget of openai/scripted" in done.err
    assert 0 < len(cases_in(tmp_path / "dataset.jsonl")) < 15
    assert "budget" in ledger_in(tmp_path / "dataset.ledger.json")["stopped"]


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ('```json\n{"questions": [%s]}\n```', "delivered"),
        ('Sure! Here it is: {"questions": [%s]} I hope this helps.', "delivered"),
        ('{"questions": [%s,]}', "delivered"),
        ("{'questions': [%s]}", "delivered"),
        ("<think>What to ask?</think>\n[%s]", "delivered"),
        ('{"questions": [%s, {"question": "Wh', "the reply was cut off"),
        ('{"questions": [%s], "questions": []}', "the reply is not JSON"),
        ("I cannot help with that.", "the reply is not JSON"),
        ('{"questions": "none"}', "the reply has another shape"),
        ("[]", "the model found nothing to ask"),
    ],
)
def test_shapes_of_replies(
    generate: Callable[..., Done], model: Play, tmp_path: Path, reply: str, outcome: str
) -> None:
    def says(prompt: str) -> Step:
        said = honest(prompt)
        if kind_of(prompt) != "question":
            return said
        assert isinstance(said, dict)
        item = json.dumps(said["json"]["questions"][0])
        return reply.replace("%s", item)

    model.says = says
    done = generate("--qa", 2, "--no-cache")
    if outcome == "delivered":
        assert done.code == 0, done.err
        assert len(cases_in(tmp_path / "dataset.jsonl")) == 2
    else:
        assert done.code == 2
        assert f"discarded: {outcome}" in done.err
        assert not (tmp_path / "dataset.jsonl").exists()
        account = ledger_in(tmp_path / "dataset.ledger.json")["cases"]["qa"]
        assert account["discarded"] == {outcome: len(account["candidates"])}


def test_a_reply_at_the_limit_of_tokens_never_becomes_a_case(
    generate: Callable[..., Done], model: Play
) -> None:
    model.says = lambda prompt: {**dict(honest(prompt)), "finish": "length"}  # type: ignore[arg-type]
    done = generate("--qa", 2, "--no-cache")
    assert done.code == 2
    assert "discarded: the reply was cut off" in done.err


def test_questions_that_nobody_delivers_are_counted(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    def says(prompt: str) -> Step:
        if kind_of(prompt) == "check" and "kayak" in prompt:
            return {"json": {"answerable": False}}
        if kind_of(prompt) == "question" and "tent" in passages_of(prompt)[0]:
            return {"status": 400, "message": "no tents"}
        return honest(prompt)

    model.says = says
    done = generate("--qa", len(TOPICS), "--no-cache")
    assert done.code == 0
    assert f"qa: {len(TOPICS) - 2} of {len(TOPICS)} delivered" in done.out
    assert "discarded: the passage does not answer the question" in done.out
    assert "failed: rejected" in done.out
    assert "2 of the qa cases are missing" in done.err


class TestPoison:
    def test_documents_are_written_and_named_by_their_cases(
        self, generate: Callable[..., Done], model: Play, tmp_path: Path
    ) -> None:
        done = generate("--qa", 2, "--injection", 5, "--poison-dir", "poison")
        assert done.code == 0
        planted = [
            case for case in cases_in(tmp_path / "dataset.jsonl") if case.kind is Kind.INJECTION
        ]
        files = {path.name for path in (tmp_path / "poison").iterdir()}
        assert {name for case in planted for name in case.expected_source_ids} == files
        assert len(files) == len(planted) == 5
        for case in planted:
            (name,) = case.expected_source_ids
            text = (tmp_path / "poison" / name).read_text(encoding="utf-8")
            assert case.evidence[0].quote in text
            assert case.evidence[0].quote not in case.question
            assert case.question in text

    def test_an_older_set_of_documents_is_replaced_and_others_are_not(
        self, generate: Callable[..., Done], model: Play, tmp_path: Path
    ) -> None:
        generate("--qa", 2, "--injection", 5, "--poison-dir", "poison")
        generate("--qa", 2, "--injection", 2, "--poison-dir", "poison")
        assert len(list((tmp_path / "poison").iterdir())) == 2
        (tmp_path / "poison" / "mine.md").write_text("mine", encoding="utf-8")
        assert generate("--qa", 2, "--injection", 2, "--poison-dir", "poison").code == 3
        assert (tmp_path / "poison" / "mine.md").exists()


def test_instructions_alone_are_planted_in_questions_that_are_no_cases(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    assert generate("--injection", 3).code == 0
    cases = cases_in(tmp_path / "dataset.jsonl")
    assert [case.kind for case in cases] == [Kind.INJECTION] * 3
    assert all(case.question.startswith("Who built the ") for case in cases)


class TestWithoutAModel:
    def test_no_key_is_needed_and_nothing_is_asked(
        self,
        generate: Callable[..., Done],
        ragproof: Callable[..., Done],
        model: Play,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        for name in [one for one in os.environ if one.startswith("RAGPROOF_GEN_")]:
            monkeypatch.delenv(name)
        done = generate("--generator", "extractive", "--qa", 8, "--injection", 2)
        assert done.code == 0
        cases = cases_in(tmp_path / "dataset.jsonl")
        assert len(cases) == 10
        for case in cases[:8]:
            assert case.origin is not None
            assert case.origin["generator"] == "extractive"
            assert case.expected_answer is None
            assert "known-item" in case.tags
            document = (tmp_path / "docs" / case.expected_source_ids[0]).read_text("utf-8")
            assert case.evidence[0].quote in document
        assert model.calls == 0
        assert ragproof("freeze", "dataset.jsonl").code == 0

    def test_the_same_in_other_processes_and_locales(self, docs: Path, tmp_path: Path) -> None:
        found = set()
        for number, (seed, locale) in enumerate(
            (("0", "C"), ("7", "C.UTF-8"), ("random", "POSIX"))
        ):
            out = tmp_path / f"{number}.jsonl"
            subprocess.run(
                [
                    *(sys.executable, "-m", "ragproof", "generate", "--generator", "extractive"),
                    *("--corpus", str(docs), "--qa", "9", "--injection", "3", "--out", str(out)),
                ],
                env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
                check=True,
                capture_output=True,
            )
            found.add(out.read_bytes())
        assert len(found) == 1


class TestUpdate:
    def test_what_did_not_change_stays(
        self,
        generate: Callable[..., Done],
        ragproof: Callable[..., Done],
        model: Play,
        docs: Path,
        tmp_path: Path,
    ) -> None:
        generate("--qa", 6, "--unanswerable", 2, "--injection", 2)
        path = tmp_path / "dataset.jsonl"
        path.write_text(
            path.read_text("utf-8").replace("Who built the", "Who has built the", 1), "utf-8"
        )
        ragproof("freeze", "dataset.jsonl")
        before = cases_in(tmp_path / "dataset.frozen.json")
        changed, gone = before[0].expected_source_ids[0], before[1].expected_source_ids[0]
        (docs / changed).write_text(
            (docs / changed).read_text("utf-8").replace("built by", "raised by"), "utf-8"
        )
        (docs / gone).unlink()
        stale = ragproof("stale", "dataset.frozen.json", "--corpus", docs)
        assert stale.code == 1
        assert f"{before[0].id}: changed: {changed}" in stale.out
        assert f"{before[1].id}: vanished: {gone}" in stale.out
        as_json = ragproof("stale", "dataset.frozen.json", "--corpus", docs, "--json")
        rows = json.loads(as_json.out)["stale"]
        assert rows[:2] == [
            {"id": before[0].id, "state": "changed", "document": changed},
            {"id": before[1].id, "state": "vanished", "document": gone},
        ]
        calls = model.calls
        done = generate("--update", "dataset.frozen.json", "--out", "new.jsonl", "--no-cache")
        assert done.code == 0
        after = cases_in(tmp_path / "new.jsonl")
        assert len(after) == len(before)
        stale_ids = {row["id"] for row in rows}
        kept = [case for case in before if case.id not in stale_ids]
        assert [case for case in after if case.id in {one.id for one in kept}] == kept
        assert model.calls - calls <= 5 * len(stale_ids)
        # The document that changed is asked about again.
        new = [case for case in after if case not in kept and case.kind is Kind.QA]
        assert changed in {source for case in new for source in case.expected_source_ids}
        assert f"~ {before[0].id}: question" in done.out
        assert f"- {before[1].id}" in done.out
        ragproof("freeze", "new.jsonl")
        assert ragproof("stale", "new.frozen.json", "--corpus", docs).code == 0

    def test_nothing_changed(
        self,
        generate: Callable[..., Done],
        ragproof: Callable[..., Done],
        model: Play,
        tmp_path: Path,
    ) -> None:
        generate("--qa", 3, "--unanswerable", 1)
        ragproof("freeze", "dataset.jsonl")
        calls = model.calls
        done = generate("--update", "dataset.frozen.json")
        assert done.code == 0
        assert model.calls == calls
        assert "0 added, 0 removed, 0 changed, 4 the same" in done.out

    def test_a_longer_set_keeps_the_shorter(
        self,
        generate: Callable[..., Done],
        ragproof: Callable[..., Done],
        model: Play,
        tmp_path: Path,
    ) -> None:
        generate("--qa", 3)
        ragproof("freeze", "dataset.jsonl")
        before = cases_in(tmp_path / "dataset.frozen.json")
        assert generate("--update", "dataset.frozen.json", "--qa", 5, "--injection", 2).code == 0
        after = cases_in(tmp_path / "dataset.jsonl")
        assert after[:3] == before
        assert [case.kind for case in after[3:]] == [Kind.QA] * 2 + [Kind.INJECTION] * 2

    def test_cases_that_people_wrote_stay(
        self,
        generate: Callable[..., Done],
        ragproof: Callable[..., Done],
        model: Play,
        tmp_path: Path,
    ) -> None:
        (tmp_path / "mine.jsonl").write_text(
            '{"id": "m", "question": "Who built the kayak?", "expected_source_ids": ["x"]}\n',
            "utf-8",
        )
        assert generate("--update", "mine.jsonl", "--qa", len(TOPICS)).code == 0
        after = cases_in(tmp_path / "dataset.jsonl")
        assert after[0].id == "m"
        assert sum("kayak" in case.question for case in after) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_what_was_delivered(
    docs: Path, tmp_path: Path, model: Play, number: signal.Signals
) -> None:
    slow = {topic for topic in TOPICS if topic > "s"}

    def says(prompt: str) -> Step:
        late = kind_of(prompt) == "question" and any(
            f"# {topic.title()}\n" in prompt for topic in slow
        )
        return {**dict(honest(prompt)), "latency": 60} if late else honest(prompt)  # type: ignore[arg-type]

    model.says = says
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "ragproof", "generate", "--corpus", str(docs)),
            *("--qa", str(len(TOPICS)), "--cache", str(tmp_path / "cache")),
            *("--out", str(tmp_path / "out.jsonl")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    fast = len(TOPICS) - len(slow)
    until = time.monotonic() + 30
    while model.calls < 4 * fast + len(slow) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - sent < 5
    assert process.returncode == 128 + number
    assert len(cases_in(tmp_path / "out.jsonl")) == fast
    assert f"{fast} of {len(TOPICS)} delivered" in out
    assert number.name in err
    assert ledger_in(tmp_path / "out.ledger.json")["stopped"] == f"cancelled by {number.name}"


def test_secrets_stay_out_of_everything(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    model.says = lambda prompt: {"status": 500, "message": f"the key was {KEY}"}
    done = generate("--qa", 2, "--cache", "cache")
    assert done.code == 2
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_judged_cases_are_scorable(
    generate: Callable[..., Done], model: Play, tmp_path: Path
) -> None:
    from ragproof.records import Response

    generate("--qa", 3, "--injection", 60, "--seed", 4)
    planted = [c for c in cases_in(tmp_path / "dataset.jsonl") if c.kind is Kind.INJECTION]
    assert len(planted) == 60
    assert {case.adversarial_payload for case in planted} == {payload.id for payload in BUILT_IN}
    for case in planted:
        assert judge_injection(case, Response("The fee is 12 euros.")).score == 1.0
