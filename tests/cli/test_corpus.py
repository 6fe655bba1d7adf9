"""``corpus``: what of a folder is read, how it is chunked, and what leaves no secret behind."""

import json
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragproof.cli import console
from ragproof.redact import Redactor

Ragproof = Callable[..., Any]
kit = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "corpus/vikingserver.py")))
KEY = "user-key-4711"


@pytest.fixture
def docs(folder: Path) -> Path:
    docs = folder / "docs"
    (docs / "b").mkdir(parents=True)
    (docs / "a.md").write_text("# Title\n\n" + "A sentence here. " * 100)
    (docs / "b" / "c.txt").write_bytes(b"caf\xe9 au lait, s'il vous pla\xeet\n")
    (docs / "d.png").write_bytes(b"\x89PNG")
    return docs


@pytest.fixture
def viking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with kit.serving(kit.Viking({"a.md": "# Title\n\nText."})) as running:
        yield running


def test_what_was_read_and_what_was_not(ragproof: Ragproof, docs: Path) -> None:
    done = ragproof("corpus", "docs")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "corpus docs: 2 documents read"
    assert lines[1] == "  a.md: markdown, 1,709 characters, 2 chunks"
    assert lines[2].startswith("  b/c.txt: text, 30 characters, 1 chunk")
    assert "\nskipped: 1\n  d.png is a picture" in done.out
    assert "\nwarnings: 1\n  b/c.txt: is not UTF-8" in done.out
    assert "\nchunks: 3, of 29 to " in done.out
    assert "(--chunk-size 1200, --chunk-overlap 150)" in done.out
    assert len(lines[-1].removeprefix("fingerprint: ")) == 64


def test_json(ragproof: Ragproof, docs: Path) -> None:
    done = ragproof("corpus", "docs", "--json", "--chunk-size", "300", "--chunk-overlap", "0")
    facts = json.loads(done.out)
    assert [one["id"] for one in facts["documents"]] == ["a.md", "b/c.txt"]
    assert [one["format"] for one in facts["documents"]] == ["markdown", "text"]
    assert [one["id"] for one in facts["skipped"]] == ["d.png"]
    assert facts["chunks"]["longest"] <= 300
    assert facts["chunks"]["count"] == sum(one["chunks"] for one in facts["documents"])
    assert facts["fingerprint"] in ragproof("corpus", "docs").out
    other = ragproof("corpus", "docs", "--json", "--exclude", "b")
    assert json.loads(other.out)["fingerprint"] != facts["fingerprint"]


@pytest.mark.parametrize(
    "name", ["::warning::x.md", "##[error]x.md", "a\n::error::x.md", "\x1b[31mx.md", "\u202ex.md"]
)
def test_names_do_nothing(ragproof: Ragproof, docs: Path, name: str) -> None:
    (docs / name).write_text("Text.")
    assert ragproof("corpus", "docs").code == 0
    done = ragproof("corpus", "docs", "--json")
    assert done.out.isascii()
    assert "##[" not in done.out
    assert name in [one["id"] for one in json.loads(done.out)["documents"]]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none"], 3, "does not exist"),
        (["docs", "--include", "*.rst"], 3, "no file could be read"),
        (["docs", "--chunk-size", "0"], 3, "--chunk-size"),
        (["docs", "--chunk-size", "100"], 3, "use 0 to 50"),
        (["docs", "--max-file-bytes", "1"], 3, "no file could be read"),
        (["viking://resources"], 3, "RAGPROOF_VIKING_URL"),
        (["viking://resources", "--server", "nowhere"], 3, "not an http or https address"),
        (["viking://resources", "--server", "http://127.0.0.1:1"], 2, "refused"),
        (["viking:/x", "--server", "http://127.0.0.1:1"], 3, "no address of OpenViking"),
    ],
)
def test_errors(
    ragproof: Ragproof,
    docs: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr("ragproof.corpus.viking_http._FIRST_WAIT_S", 0.01)
    done = ragproof("corpus", *arguments)
    assert done.code == code
    assert said in done.err
    assert done.out == ""


def test_a_corpus_on_a_server(
    ragproof: Ragproof, viking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    viking.key = KEY
    monkeypatch.setenv("RAGPROOF_VIKING_KEY", KEY)
    monkeypatch.setenv("RAGPROOF_VIKING_URL", viking.url)
    done = ragproof("corpus", kit.ROOT)
    assert done.code == 0
    assert f"  {kit.ROOT}/a.md: markdown, 14 characters, 1 chunk\n" in done.out


def test_the_key_leaves_no_trace(
    ragproof: Ragproof, viking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do secrets that were kept together with it before."""
    console.keep_secret(Redactor(["another-secret", KEY]))
    viking.key = "other"
    viking.files = {f"{KEY}.md": "x", "another-secret.md": "x"}
    monkeypatch.setenv("RAGPROOF_VIKING_KEY", KEY)
    done = ragproof("corpus", kit.ROOT, "--server", viking.url)
    assert done.code == 2
    assert "HTTP 401" in done.err
    assert KEY not in done.out + done.err
    viking.key = None
    done = ragproof("corpus", kit.ROOT, "--server", viking.url)
    assert done.code == 0
    assert KEY not in done.out + done.err
    assert "another-secret" not in done.out


def test_the_key_is_masked_on_a_runner(
    viking: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from ragproof.cli import main

    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("RAGPROOF_VIKING_KEY", KEY)
    assert main(["corpus", kit.ROOT, "--server", viking.url]) == 0
    out = capfd.readouterr().out
    masks = [line for line in out.splitlines() if line.startswith("::add-mask::")]
    assert f"::add-mask::{KEY}" in masks
    assert out.startswith("::add-mask::")
    assert KEY not in "".join(out.splitlines(keepends=True)[len(masks) :])
