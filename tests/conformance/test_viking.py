"""A real OpenViking server: its own documents, and paragraphs of XQuAD in deep folders."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import pytest
from labserver import started

from ragproof.cli import main
from ragproof.corpus.chunk import chunk_corpus
from ragproof.corpus.read import ReadSettings, read_corpus
from ragproof.corpus.viking import VikingServer, read_viking
from ragproof.errors import CorpusError, EndpointError

pytestmark = pytest.mark.conformance

ROOT = "viking://resources/ragdocs"
ROOT_KEY = "root-key-of-the-tests"


class Running(NamedTuple):
    """A server, the documents it was given, and the key of its user."""

    server: VikingServer
    files: Path


def paragraphs(data: Path, folder: Path) -> Path:
    """480 paragraphs in two languages as files, six folders deep. The server changes spaces and
    the like in names, so these have none."""
    for language in ("de", "en"):
        with (data / "xquad" / f"{language}.corpus.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                paragraph = json.loads(line)
                title, _, number = paragraph["_id"].partition("#")
                title = re.sub(r"[^\w-]+", "_", normalize("NFC", title)).strip("_")
                path = folder / language / "wiki" / "größe" / title[0] / title / f"p{number}"
                path.mkdir(parents=True, exist_ok=True)
                text = f"# {paragraph['title']}\n\n{paragraph['text']}\n"
                (path / f"absatz-{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=["small", "xquad"])
def corpus(
    request: pytest.FixtureRequest, lab: Path, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    if request.param == "small":
        return lab / "corpus" / "small"
    return paragraphs(data, tmp_path_factory.mktemp("xquad"))


@pytest.fixture(scope="module", params=["open", "key"])
def running(
    request: pytest.FixtureRequest,
    corpus: Path,
    lab: Path,
    cache: Path,
    environment: dict[str, str],
) -> Iterator[Running]:
    root = cache / "openviking"
    shutil.rmtree(root / "data", ignore_errors=True)
    more = {"RAG_CORPUS": str(corpus)}
    if request.param == "key":
        more["ROOT_KEY"] = ROOT_KEY
    with started(lab / "openviking" / "start.sh", root, environment, **more) as port:
        key = (root / "user.key").read_text() if request.param == "key" else ""
        yield Running(VikingServer(f"http://127.0.0.1:{port}", key), corpus)


def test_the_documents_are_those_on_disk(running: Running) -> None:
    there = read_viking(ROOT, running.server)
    here = read_corpus(running.files)
    assert there.skipped == ()
    assert len(here.documents) in (22, 480)
    assert [one.id for one in there.documents] == [f"{ROOT}/{one.id}" for one in here.documents]
    assert [one.hash for one in there.documents] == [one.hash for one in here.documents]
    texts = [(chunk.start, chunk.text, chunk.headings) for chunk in chunk_corpus(here)]
    assert [(one.start, one.text, one.headings) for one in chunk_corpus(there)] == texts


def test_a_scope_and_a_single_file(running: Running) -> None:
    everything = read_viking("viking://resources/", running.server)
    assert everything.documents == read_viking(ROOT, running.server).documents
    one = everything.documents[-1]
    assert read_viking(one.id, running.server).documents == (one,)


def test_patterns_and_folders(running: Running) -> None:
    everything = read_viking(ROOT, running.server)
    first = everything.documents[0].id.removeprefix(f"{ROOT}/").split("/")[0]
    settings = ReadSettings(include=(f"/{first}/",))
    some = read_viking(ROOT, running.server, settings)
    assert some.documents == read_viking(f"{ROOT}/{first}", running.server).documents
    assert len(some.documents) + len(some.skipped) == len(everything.documents)
    with pytest.raises(CorpusError, match="only what lies directly"):
        read_viking(ROOT, running.server, recursive=False)


def test_what_is_not_there(running: Running) -> None:
    for uri in (f"{ROOT}/none", f"{ROOT}/none.md"):
        with pytest.raises(CorpusError, match="does not exist"):
            read_viking(uri, running.server)
    with pytest.raises(CorpusError, match="INVALID_URI"):
        read_viking("viking://temp/x", running.server)


def test_keys(running: Running) -> None:
    if not running.server.key:
        pytest.skip("this server asks for none")
    for key in ("", ROOT_KEY, "wrong-key-0815"):
        with pytest.raises(EndpointError, match=r"HTTP 40[13]") as raised:
            read_viking(ROOT, VikingServer(running.server.url, key))
        assert not key or key not in raised.value.message
        assert "RAGPROOF_VIKING_KEY" in raised.value.hint


def test_the_command(
    running: Running,
    ragproof: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RAGPROOF_VIKING_KEY", running.server.key)
    ragproof("corpus", ROOT, "--server", running.server.url, "--json")
    facts = json.loads(capsys.readouterr().out)
    assert facts["fingerprint"] == read_viking(ROOT, running.server).fingerprint
    monkeypatch.setenv("RAGPROOF_VIKING_KEY", "wrong-key-0815")
    code = main(["corpus", ROOT, "--server", running.server.url])
    done = capsys.readouterr()
    assert code == (2 if running.server.key else 0)
    assert "wrong-key-0815" not in done.out + done.err
