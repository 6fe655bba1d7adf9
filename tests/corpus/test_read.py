"""Reading a corpus as a whole."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import make_docx, make_pdf, make_zip, paragraph

from ragproof.corpus.read import Reader, ReadSettings, make_corpus, read_corpus
from ragproof.corpus.records import FORMATS, Document, Skipped
from ragproof.errors import CorpusError, ExitCode


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as made:
        yield made


def make(root: Path) -> None:
    (root / "sub").mkdir()
    for name, raw in {
        "a.txt": b"plain\r\ntext",
        "b.md": b"# Title\n",
        "c.rst": b"Title\n=====\n",
        "d.html": b"<h1>Title</h1><p>text",
        "sub/e.py": b"x = 1\n",
        "sub/f.pdf": make_pdf(["one", "two"]),
        "sub/g.docx": make_docx(paragraph("words")),
        "README": b"read me",
        "Makefile": b"all:\n",
        "k.png": b"\x89PNG\r\n\x1a\n",
        "l.zip": make_zip({"a": "b"}),
        "m.txt": b"",
        "n.txt": b" \n\t",
        "o.bin": b"\0\1\2",
        "p": b"%PDF-1.4 nothing more",
        "q.docx": b"no archive",
        "r.md": "Größe\n".encode("cp1252") * 9,
    }.items():
        (root / name).write_bytes(raw)


class TestCorpus:
    def test_every_file_is_read_or_listed_with_a_reason(self, tmp_path: Path) -> None:
        make(tmp_path)
        corpus = read_corpus(tmp_path)
        assert [(each.id, each.format, each.text) for each in corpus.documents] == [
            ("Makefile", "code", "all:\n"),
            ("README", "text", "read me"),
            ("a.txt", "text", "plain\ntext"),
            ("b.md", "markdown", "# Title\n"),
            ("c.rst", "rst", "Title\n=====\n"),
            ("d.html", "html", "# Title\n\ntext\n"),
            ("r.md", "markdown", "Größe\n" * 9),
            ("sub/e.py", "code", "x = 1\n"),
            ("sub/f.pdf", "pdf", "one\n\ntwo"),
            ("sub/g.docx", "docx", "words\n"),
        ]
        assert corpus.documents[8].pages == (0, 5)
        assert "a guess" in corpus.documents[6].warnings[0]
        reasons = dict(corpus.skipped)
        assert reasons.pop("p").startswith("cannot be read: ")
        assert reasons == {
            "k.png": "is a picture; what is written in pictures is not read (no OCR)",
            "l.zip": "is of the format .zip, which is not read",
            "m.txt": "is empty",
            "n.txt": "holds no text",
            "o.bin": "is of the format .bin, which is not read",
            "q.docx": "is not a DOCX: File is not a zip file",
        }

    def test_formats_are_those_of_documents(self, tmp_path: Path) -> None:
        make(tmp_path)
        assert {each.format for each in read_corpus(tmp_path).documents} == set(FORMATS)

    def test_nothing_read_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError, match="holds no file") as empty:
            read_corpus(tmp_path)
        assert empty.value.exit_code == ExitCode.USAGE
        for number in range(12):
            (tmp_path / f"{number:02}.png").write_bytes(b"x")
        with pytest.raises(CorpusError) as caught:
            read_corpus(tmp_path)
        assert caught.value.exit_code == ExitCode.USAGE
        assert caught.value.message.startswith(
            f"corpus {tmp_path}: no file could be read\n  00.png"
        )
        assert caught.value.message.endswith("  ... and 2 more")

    def test_files_that_are_too_large(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"x" * 5_000_000)
        (tmp_path / "b.md").write_bytes(b"x" * 5_000_001)
        corpus = read_corpus(tmp_path)
        assert [each.id for each in corpus.documents] == ["a.md"]
        assert corpus.skipped == (
            Skipped("b.md", "is larger than 5 MB (5.0 MB); --max-file-bytes sets the limit"),
        )
        assert len(read_corpus(tmp_path, ReadSettings(max_file_bytes=6_000_000)).documents) == 2

    def test_a_file_that_vanishes_while_it_is_read(self, tmp_path: Path) -> None:
        """The first file is opened only after the second is gone."""
        for name in ("a.md", "b.md"):
            (tmp_path / name).write_text("x", "utf-8")
        from ragproof.corpus.sources import list_files

        listing = list_files(tmp_path, ReadSettings())
        (tmp_path / "b.md").unlink()
        with Reader() as reading:
            corpus = make_corpus(map(reading.read_file, listing.files), "corpus")
        assert [each.id for each in corpus.documents] == ["a.md"]
        assert corpus.skipped == (
            Skipped("b.md", "is gone: it was deleted while the corpus was read"),
        )

    def test_the_order_does_not_depend_on_the_order_of_reading(self) -> None:
        made = make_corpus(
            [
                Skipped("z", "r"),
                Document("b", "x", "text"),
                Skipped("y", "r"),
                Document("a", "x", "text"),
            ],
            "corpus",
        )
        assert [each.id for each in made.documents] == ["a", "b"]
        assert [each.id for each in made.skipped] == ["y", "z"]

    @pytest.mark.parametrize(
        "variables",
        [
            {"PYTHONHASHSEED": "1", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"},
        ],
    )
    def test_it_is_the_same_everywhere(self, tmp_path: Path, variables: dict[str, str]) -> None:
        make(tmp_path)
        (tmp_path / "Größe.md").write_text("x", "utf-8")
        code = (
            "import sys, hashlib; from pathlib import Path\n"
            "from ragproof.corpus.read import read_corpus\n"
            "found = read_corpus(Path(sys.argv[1]))\n"
            "print(hashlib.sha256(ascii(found).encode()).hexdigest())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=True,
        )
        here = hashlib.sha256(ascii(read_corpus(tmp_path)).encode()).hexdigest()
        assert done.stdout.strip() == here


class TestExtra:
    """PDF and DOCX need the extra; nothing else does."""

    @pytest.fixture
    def without(self, tmp_path: Path) -> dict[str, str]:
        """An environment in which the libraries of the extra are not to be had."""
        hiding = tmp_path / "hiding"
        hiding.mkdir()
        for name in ("pypdf", "docx", "lxml", "cryptography"):
            (hiding / f"{name}.py").write_text(
                f"raise ModuleNotFoundError('no {name}', name='{name}')", "utf-8"
            )
        return {**os.environ, "PYTHONPATH": str(hiding)}

    def test_the_reason_names_what_to_install(
        self, tmp_path: Path, without: dict[str, str]
    ) -> None:
        root = tmp_path / "root"
        root.mkdir()
        make(root)
        code = (
            "import sys; from pathlib import Path\n"
            "from ragproof.corpus.read import read_corpus\n"
            "found = read_corpus(Path(sys.argv[1]))\n"
            "print([each.id for each in found.documents])\n"
            "print({each.id: each.reason for each in found.skipped if each.id[:3] == 'sub'})"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, root],
            env=without,
            capture_output=True,
            text=True,
            check=False,
        )
        needed = "needs libraries that are not installed: pip install 'ragproof-action[ingest]'"
        assert done.stdout.splitlines() == [
            str(["Makefile", "README", "a.txt", "b.md", "c.rst", "d.html", "r.md", "sub/e.py"]),
            str({"sub/f.pdf": needed, "sub/g.docx": needed}),
        ], done.stderr


SUFFIXES = ["txt", "md", "rst", "html", "py", "xml", "pdf", "docx", "png", "zip", "", "bin", "json"]
STARTS = [b"", b"%PDF-1.7\n", b"PK\x03\x04", b"\xff\xfe", b"<html>", b"\xd0\xcf\x11\xe0", b"\0"]


class TestHard:
    @settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(suffix=st.sampled_from(SUFFIXES), start=st.sampled_from(STARTS), rest=st.binary())
    def test_any_bytes_under_any_name(
        self, reader: Reader, suffix: str, start: bytes, rest: bytes
    ) -> None:
        outcome = reader.read(f"x.{suffix}", start + rest)
        assert outcome.id == f"x.{suffix}"
        if isinstance(outcome, Document):
            outcome.text.encode()
            assert outcome.text.strip()
            assert outcome.format in FORMATS
        else:
            assert outcome.reason
            assert "\n" not in outcome.reason

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        raw=st.sampled_from(
            [("x.pdf", make_pdf(["one", "", "three"])), ("x.docx", make_docx(paragraph("words")))]
        ),
        places=st.lists(st.integers(0, 10_000), max_size=8),
        values=st.binary(min_size=8, max_size=8),
        cut=st.integers(0, 3_000),
    )
    def test_damaged_files(
        self, reader: Reader, raw: tuple[str, bytes], places: list[int], values: bytes, cut: int
    ) -> None:
        damaged = bytearray(raw[1])
        for place, value in zip(places, values, strict=False):
            damaged[place % len(damaged)] = value
        outcome = reader.read(raw[0], bytes(damaged[: len(damaged) - cut]))
        if isinstance(outcome, Document):
            assert all(0 <= start <= len(outcome.text) for start in outcome.pages)
            assert list(outcome.pages) == sorted(outcome.pages)
        else:
            assert outcome.reason

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (
                make_zip({"a": "b"}),
                "is of the format ZIP, as its first bytes tell, which is not read",
            ),
            (b"{\\rtf1 x}", "is of the format RTF, as its first bytes tell, which is not read"),
            (
                b"\x89PNG\r\n\x1a\n",
                "is a picture; what is written in pictures is not read (no OCR)",
            ),
        ],
    )
    def test_first_bytes_tell_what_names_do_not(
        self, reader: Reader, raw: bytes, reason: str
    ) -> None:
        for name in ("x.txt", "x", "x.html", "x.unheard"):
            assert reader.read(name, raw) == Skipped(name, reason)
        page = reader.read("x.txt", make_pdf(["a page"]))
        assert isinstance(page, Document)
        assert (page.format, page.text) == ("pdf", "a page")

    def test_archives_in_archives_are_not_unpacked(self, reader: Reader) -> None:
        bomb = b"\0" * 40_000_000
        for _ in range(3):
            bomb = make_zip({"a.zip": bomb})
        outcome = reader.read("x.docx", bomb)
        assert outcome == Skipped("x.docx", "is not a DOCX: it holds no document")

    def test_a_page_of_quadratic_cost_is_given_up(self) -> None:
        with Reader(ReadSettings(timeout_s=3)) as reading:
            before = time.monotonic()
            reading.read("x.html", b"a<" * 2_000_000)
            assert time.monotonic() - before < 20
            assert isinstance(reading.read("y.html", b"<p>x"), Document)

    def test_ten_thousand_files(self, tmp_path: Path) -> None:
        """A second or two on an idle machine; what is tested is that nothing is quadratic."""
        (tmp_path / ".gitignore").write_text("*.log\nbuild/\n/x/y\n**/tmp\n*.pyc\n" * 4, "utf-8")
        for folder in range(100):
            (tmp_path / f"f{folder:02}").mkdir()
            for number in range(100):
                path = tmp_path / f"f{folder:02}" / f"{number:02}.md"
                path.write_text(f"# Title {folder} {number}\n\nSome text.\n", "utf-8")
        before = time.process_time()
        corpus = read_corpus(tmp_path)
        assert time.process_time() - before < 15
        assert len(corpus.documents) == 10_000
        assert [each.id for each in corpus.documents[:2]] == ["f00/00.md", "f00/01.md"]
