"""Reading from a server that answers as OpenViking does, or not at all as it should."""

import runpy
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragproof.corpus.locate import open_corpus
from ragproof.corpus.read import ReadSettings, read_corpus
from ragproof.corpus.records import Corpus
from ragproof.corpus.viking import VikingServer, read_viking, viking_server
from ragproof.errors import ConfigError, CorpusError, EndpointError, RagproofError

kit = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "vikingserver.py")))
ROOT = kit.ROOT
KEY = "user-key-4711-äß".encode().hex()
FILES = {
    "b/deep/er/still/und/noch/tiefer.md": "# Tief\n\nInhalt.\n",
    "a.md": "# Title\n\nText with ünïcode.\n",
    "b/c.txt": "Plain text.",
}


@pytest.fixture
def serve() -> Iterator[Callable[..., Any]]:
    """Start a server for some files."""
    with ExitStack() as running:
        yield lambda files=FILES, **more: running.enter_context(
            kit.serving(kit.Viking(files, **more))
        )


def read(viking: Any, uri: str = ROOT, key: str = "", **more: Any) -> Corpus:
    recursive = more.pop("recursive", True)
    settings = ReadSettings(**more.pop("settings", {}))
    server = VikingServer(viking.url, key, max_wait_s=more.pop("max_wait_s", 0.02), **more)
    return read_viking(uri, server, settings, recursive=recursive)


def ids(corpus: Corpus) -> list[str]:
    return [document.id.removeprefix(f"{ROOT}/") for document in corpus.documents]


def reasons(corpus: Corpus) -> dict[str, str]:
    return {one.id.removeprefix(f"{ROOT}/"): one.reason for one in corpus.skipped}


def only(what: str, answer: Any, name: str = "") -> Callable[[Any], Any]:
    """A fault of one kind of request."""
    return lambda asked: (
        answer if asked.what == what and asked.values["uri"].endswith(name) else None
    )


def times(number: int, answer: Any, what: str = "") -> Callable[[Any], Any]:
    """A fault of so many requests."""
    left = iter(range(number))
    return lambda asked: (
        answer if asked.what.startswith(what) and next(left, None) is not None else None
    )


def test_all_files_of_a_folder_are_read_in_the_order_of_their_addresses(
    serve: Callable[..., Any],
) -> None:
    viking = serve()
    corpus = read(viking)
    assert ids(corpus) == sorted(FILES)
    assert [document.text for document in corpus.documents] == [FILES[n] for n in sorted(FILES)]
    assert [document.format for document in corpus.documents] == ["markdown", "text", "markdown"]
    assert corpus.skipped == ()
    assert {one.key for one in viking.asked} == {None}


def test_a_folder_inside_and_a_slash_behind(serve: Callable[..., Any]) -> None:
    viking = serve()
    assert ids(read(viking, f"{ROOT}/b/")) == ["b/c.txt", "b/deep/er/still/und/noch/tiefer.md"]


def test_a_file_is_read_by_itself(serve: Callable[..., Any]) -> None:
    corpus = read(serve(), f"{ROOT}/b/c.txt")
    assert [document.id for document in corpus.documents] == [f"{ROOT}/b/c.txt"]


def test_the_key_is_sent(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.key = KEY
    assert ids(read(viking, key=KEY)) == sorted(FILES)
    assert {one.key for one in viking.asked} == {KEY}


def test_without_recursion_folders_are_listed_as_skipped(serve: Callable[..., Any]) -> None:
    corpus = read(serve(), recursive=False)
    assert ids(corpus) == ["a.md"]
    assert "only what lies directly" in reasons(corpus)["b/"]


NAMES = [
    *("a b.md", "ä&ö=?.md", "50%.md", "%41.md", "#1.md", "a+b.md", '"quote".md', "a\\b.md"),
    *("::set-output name=x::y.md", "\u202egnp.md", "tab\t.md", "日本語/文.md", "👩\u200d👧.md"),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_sent_percent_encoded(serve: Callable[..., Any], name: str) -> None:
    viking = serve({name: "Text."})
    corpus = read(viking)
    assert ids(corpus) == [name]
    for one in viking.asked:
        assert one.target.isascii()
        assert one.target.isprintable()
        assert not set(one.target) & set(' #+"\\')


def test_names_are_normalised_and_asked_for_as_they_are(serve: Callable[..., Any]) -> None:
    viking = serve({"u\u0308.md": "one", "\xfc.md": "other", "n\u0303.md": "third"})
    corpus = read(viking)
    assert ids(corpus) == ["\xf1.md", "\xfc.md"]
    assert f"{ROOT}/n\u0303.md" in viking.read()
    assert "same name" in reasons(corpus)["\xfc.md"]


def test_pages_are_put_together(serve: Callable[..., Any]) -> None:
    files = {f"{number:03}.md": f"Text {number}." for number in range(100)}
    viking = serve(files)
    viking.page = 7
    assert ids(read(viking)) == sorted(files)
    offsets = [one.values.get("offset") for one in viking.asked if one.what == "fs/tree"]
    assert offsets == [None, *map(str, range(7, 100, 7))]


def test_versions_without_pages_are_asked_for_more(serve: Callable[..., Any]) -> None:
    viking = serve({"a.md": "Text."}, pages=False)
    viking.entries = [kit.entry(f"{number}.png") for number in range(10_500)]
    viking.entries.append(kit.entry("a.md"))
    corpus = read(viking)
    assert ids(corpus) == ["a.md"]
    assert len(corpus.skipped) == 10_500
    limits = [one.values["node_limit"] for one in viking.asked if one.what == "fs/tree"]
    assert limits == ["10000", "50000"]


def test_a_listing_without_end(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [only("fs/tree", kit.ok([kit.entry("a.md")], has_more=True))]
    with pytest.raises(CorpusError, match="without an end"):
        read(viking)
    viking.faults = [only("fs/tree", kit.ok([], has_more=True))]
    with pytest.raises(CorpusError, match="without an end"):
        read(viking)


def test_a_folder_too_large(serve: Callable[..., Any]) -> None:
    viking = serve(pages=False)
    viking.entries = [kit.entry(f"{number}.md") for number in range(200_001)]
    viking.faults = [only("content/read", kit.ok("x"))]
    with pytest.raises(CorpusError, match="more than 200,000"):
        read(viking)


@pytest.mark.parametrize(
    "item",
    [
        None,
        7,
        "a.md",
        {},
        {"uri": f"{ROOT}/a.md"},
        {"uri": 7, "rel_path": "a.md"},
        {"uri": f"{ROOT}/a.md", "rel_path": ["a.md"]},
        {"uri": f"{ROOT}/a.md", "rel_path": "b.md"},
        {"uri": f"{ROOT}/../a.md", "rel_path": "../a.md"},
        {"uri": f"{ROOT}/b/./a.md", "rel_path": "b/./a.md"},
        {"uri": f"{ROOT}//a.md", "rel_path": "/a.md"},
        {"uri": f"{ROOT}/", "rel_path": ""},
        {"uri": "file:///etc/passwd", "rel_path": "passwd"},
        {"uri": "viking://user/secret/a.md", "rel_path": "a.md"},
    ],
)
def test_names_that_are_none(serve: Callable[..., Any], item: Any) -> None:
    viking = serve()
    viking.entries = [kit.entry("a.md"), item]
    with pytest.raises(CorpusError, match=r"names that are none|lie elsewhere"):
        read(viking)
    assert viking.read() == []


def test_a_listing_under_another_name(serve: Callable[..., Any]) -> None:
    """``viking://~`` is the user's own folder; the server names it by its real address."""
    viking = serve()
    home = kit.ok([{**kit.entry("a.md"), "uri": "viking://user/me/a.md"}], has_more=False)
    viking.faults = [only("fs/tree", home), only("content/read", kit.ok("Text."))]
    corpus = read(viking, "viking://~")
    assert [document.id for document in corpus.documents] == ["viking://user/me/a.md"]


def test_what_is_not_read_is_not_asked_for(serve: Callable[..., Any]) -> None:
    viking = serve(
        {
            "a.md": "Text.",
            "a.png": b"\x89PNG",
            ".abstract.md": "Hidden.",
            "old/a.md": "Old.",
            "large.md": "x" * 2_000,
            "a.css": "x",
        }
    )
    settings = {"include": ("*.md",), "exclude": ("old",), "max_file_bytes": 1_000}
    corpus = read(viking, settings=settings)
    assert ids(corpus) == ["a.md"]
    assert viking.read() == [f"{ROOT}/a.md"]
    found = reasons(corpus)
    assert "hidden" in found[".abstract.md"]
    assert "exclude" in found["old/a.md"]
    assert "include" in found["a.css"]
    assert "larger than 0.001 MB" in found["large.md"]
    assert "picture" in reasons(read(viking))["a.png"]


@pytest.mark.parametrize("size", [None, True, "7", -1, 3])
def test_the_limit_holds_whatever_size_is_said(serve: Callable[..., Any], size: Any) -> None:
    viking = serve({"a.md": "Text.", "b.md": "x" * 2_000_000})
    viking.entries = [kit.entry("a.md"), {**kit.entry("b.md"), "size": size}]
    corpus = read(viking, settings={"max_file_bytes": 1_000})
    assert ids(corpus) == ["a.md"]
    assert "is larger than" in reasons(corpus)["b.md"]


def test_documents_of_office_are_downloaded(serve: Callable[..., Any]) -> None:
    viking = serve({"a.md": "Text.", "b.docx": b"no zip", "c.pdf": b"%PDF-broken"})
    corpus = read(viking)
    assert [(one.what, one.values["uri"][-6:]) for one in viking.asked[1:]] == [
        ("content/read", "s/a.md"),
        ("content/download", "b.docx"),
        ("content/download", "/c.pdf"),
    ]
    assert set(reasons(corpus)) == {"b.docx", "c.pdf"}


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again(serve: Callable[..., Any], status: int) -> None:
    viking = serve()
    busy = kit.failed(status, "UNAVAILABLE", "busy", Retry_After="600")
    viking.faults = [times(1, busy, "fs"), times(1, busy, "content")]
    assert ids(read(viking)) == sorted(FILES)
    assert len(viking.asked) == 4 + 2


def test_the_server_says_how_long_to_wait(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [times(1, kit.failed(429, "BUSY", "busy", Retry_After="1"))]
    began = time.monotonic()
    assert ids(read(viking, max_wait_s=30)) == sorted(FILES)
    assert 1 <= time.monotonic() - began < 10


@pytest.mark.parametrize("status", [400, 405, 410, 422])
def test_what_is_wrong_is_asked_for_once(serve: Callable[..., Any], status: int) -> None:
    viking = serve()
    viking.faults = [only("content/read", kit.failed(status, "X", "no"), "/a.md")]
    corpus = read(viking)
    assert reasons(corpus) == {"a.md": f"is refused: HTTP {status} (X: no)"}
    assert len(viking.asked) == 4


def test_a_file_that_is_never_given(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [only("content/read", kit.failed(503, "UNAVAILABLE", "down"), "/a.md")]
    corpus = read(viking, retries=1)
    assert reasons(corpus) == {"a.md": "is refused: HTTP 503 (UNAVAILABLE: down) (2 tries)"}
    assert ids(corpus) == sorted(FILES)[1:]


def test_a_server_that_is_gone_is_not_asked_for_every_file(serve: Callable[..., Any]) -> None:
    viking = serve({f"{number}.md": "Text." for number in range(50)})
    viking.faults = [only("content/read", kit.failed(503, "UNAVAILABLE", "down"))]
    with pytest.raises(EndpointError, match="HTTP 503"):
        read(viking, retries=0)
    assert len(viking.read()) == 3


def test_nobody_listens() -> None:
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:1 .*refused.*\(2 tries\)"):
        read(SimpleNamespace(url="http://127.0.0.1:1"), retries=1)


def test_a_body_that_is_cut_is_asked_for_again(serve: Callable[..., Any]) -> None:
    viking = serve()
    whole = kit.ok("cut")
    viking.faults = [times(1, whole._replace(length=1_000), "content")]
    assert ids(read(viking)) == sorted(FILES)
    viking.faults = [only("content/read", whole._replace(length=1_000), "/a.md")]
    found = reasons(read(viking, retries=1))
    assert "ends before its announced length" in found["a.md"]


def test_a_body_that_drips_ends_at_the_deadline(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [only("fs/tree", kit.ok(["x" * 1_000])._replace(gap_s=0.05))]
    began = time.monotonic()
    with pytest.raises(EndpointError, match=r"no complete answer within 0\.5 s"):
        read(viking, timeout_s=0.5)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "answer",
    [
        kit.Answer(200, b""),
        kit.Answer(200, b"<html>Welcome</html>"),
        kit.Answer(200, b'{"status": "ok", "result": '),
        kit.Answer(200, b"\xff\xfe"),
        kit.Answer(200, b"[" * 100_000),
        kit.reply(200, []),
        kit.reply(200, {"result": []}),
        kit.reply(200, {"status": "error", "error": {"code": "X", "message": "y"}}),
        kit.ok(None),
        kit.ok({"a.md": {}}),
        kit.ok("text"),
    ],
)
def test_another_server_than_openviking(serve: Callable[..., Any], answer: Any) -> None:
    viking = serve()
    viking.faults = [only("fs/tree", answer)]
    with pytest.raises(CorpusError, match=r"answered"):
        read(viking)


@pytest.mark.parametrize("result", [None, 7, ["x"], {"content": "x"}])
def test_contents_that_are_no_text(serve: Callable[..., Any], result: Any) -> None:
    viking = serve()
    viking.faults = [only("content/read", kit.ok(result), "/a.md")]
    assert "other than a text" in reasons(read(viking))["a.md"]


def test_half_a_character_becomes_a_replacement(serve: Callable[..., Any]) -> None:
    viking = serve()
    half = kit.Answer(200, b'{"status": "ok", "result": "a\\ud800b"}')
    viking.faults = [only("content/read", half, "/a.md")]
    corpus = read(viking)
    assert corpus.documents[0].text == "a\ufffdb"


def test_redirects_are_not_followed(serve: Callable[..., Any]) -> None:
    viking, other = serve(), serve()
    away = kit.Answer(307, b"", {"Location": f"{other.url}/api/v1/fs/tree"})
    viking.faults = [only("fs/tree", away)]
    with pytest.raises(CorpusError, match="redirect"):
        read(viking, key=KEY)
    assert other.asked == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key(serve: Callable[..., Any], status: int) -> None:
    """The server's message repeats the key, also escaped; ours does not."""
    viking = serve()
    escaped = "".join(f"\\u{ord(char):04x}" for char in KEY)
    said = kit.Answer(
        status,
        f'{{"status":"error","error":{{"code":"{KEY}","message":"Invalid {escaped}"}}}}'.encode(),
    )
    viking.faults = [lambda _: said]
    with pytest.raises(EndpointError, match=f"HTTP {status}") as raised:
        read(viking, key=KEY)
    assert KEY not in repr(raised.value) + raised.value.message + raised.value.hint
    assert "RAGPROOF_VIKING_KEY" in raised.value.hint
    assert "***" in raised.value.message


def test_a_key_that_ends_while_reading(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [only("content/read", kit.failed(401, "UNAUTHENTICATED", "no"), "/c.txt")]
    with pytest.raises(EndpointError, match="HTTP 401"):
        read(viking)


def test_a_file_that_the_key_may_not_read(serve: Callable[..., Any]) -> None:
    viking = serve()
    viking.faults = [only("content/read", kit.failed(403, "PERMISSION_DENIED", "no"), "/c.txt")]
    assert set(reasons(read(viking))) == {"b/c.txt"}


def test_the_key_is_masked_in_documents(serve: Callable[..., Any]) -> None:
    viking = serve({"a.md": f"The key is {KEY}."})
    assert read(viking, key=KEY).documents[0].text == "The key is ***."


def test_nothing_there(serve: Callable[..., Any]) -> None:
    with pytest.raises(CorpusError, match=r"viking://other/x .*does not exist"):
        read(serve(), "viking://other/x")
    with pytest.raises(CorpusError, match="holds no file"):
        read(serve({}))
    with pytest.raises(CorpusError, match="no file could be read"):
        read(serve({"a.png": b"x"}))


@pytest.mark.parametrize(
    "uri",
    [
        *("viking:", "viking:/x", "viking://", "viking:///x", "viking://a/../b", "viking://a/.."),
        *("viking://a\n/b", "viking://a/b\x00", "http://a/b", "viking://a b/c", "Viking://a/b"),
    ],
)
def test_what_is_no_address(serve: Callable[..., Any], uri: str) -> None:
    viking = serve()
    with pytest.raises(CorpusError, match="no address of OpenViking"):
        read(viking, uri)
    assert viking.asked == []


@pytest.mark.parametrize(
    ("url", "key"),
    [
        *(("localhost:1933", ""), ("ftp://a/", ""), ("http://", ""), ("http://a:b@c/", "")),
        *(("http://169.254.169.254/", ""), ("http://a/?key=x", ""), ("http://a/#b", "")),
        *(
            ("http://a", "abc"),
            ("http://a", "a b c d"),
            ("http://a", "abcd\n"),
            ("http://a", "äöüß"),
        ),
    ],
)
def test_servers_that_cannot_be(url: str, key: str) -> None:
    with pytest.raises(ConfigError) as raised:
        VikingServer(url, key)
    assert not key or key not in raised.value.message


def test_a_server_is_shown_without_its_key() -> None:
    assert KEY not in repr(VikingServer("http://a", KEY))


def test_the_server_of_the_environment() -> None:
    environ = {"RAGPROOF_VIKING_URL": "http://a:1933/", "RAGPROOF_VIKING_KEY": f" {KEY}\n"}
    assert viking_server(environ) == VikingServer("http://a:1933/", KEY)
    assert viking_server(environ, "http://b") == VikingServer("http://b", KEY)
    with pytest.raises(ConfigError, match="none is named"):
        viking_server({"RAGPROOF_VIKING_URL": " "})


def test_a_corpus_is_opened_wherever_it_is(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("Text.")
    assert open_corpus(str(tmp_path)) == read_corpus(tmp_path)
    assert open_corpus(str(tmp_path / "a.md")) == read_corpus(tmp_path / "a.md")
    viking = serve()
    monkeypatch.setenv("RAGPROOF_VIKING_URL", f"{viking.url}/")
    assert ids(open_corpus(ROOT)) == sorted(FILES)
    assert open_corpus(ROOT, server=VikingServer(viking.url)) == read(viking)
    monkeypatch.delenv("RAGPROOF_VIKING_URL")
    with pytest.raises(RagproofError, match="none is named"):
        open_corpus("VIKING://resources")


def test_the_same_files_give_the_same_chunks_as_on_disk(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    there, here = read(serve()), read_corpus(tmp_path)
    assert [one.hash for one in there.documents] == [one.hash for one in here.documents]
    assert ids(there) == [one.id for one in here.documents]
