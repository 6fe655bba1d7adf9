"""Real files of many writers and encodings, beside what other tools read of them."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ragproof.corpus.decode import decode
from ragproof.corpus.read import read_corpus
from ragproof.corpus.records import Corpus, Document

pytestmark = pytest.mark.conformance

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OTHERS = {"README.md", "UDHR_first_article_all.txt", "commonmark_LICENSE", "commonmark_spec.txt"}
"""Text files of which nothing but UTF-8 is expected."""


@pytest.fixture(scope="module")
def files(data: Path) -> Path:
    return data / "files"


@pytest.fixture(scope="module")
def corpus(files: Path) -> Corpus:
    return read_corpus(files)


@pytest.fixture(scope="module")
def documents(corpus: Corpus) -> dict[str, Document]:
    return {document.id: document for document in corpus.documents}


@pytest.fixture(scope="module")
def reasons(corpus: Corpus) -> dict[str, str]:
    return dict(corpus.skipped)


@pytest.fixture(scope="module")
def expected(files: Path) -> dict[str, dict[str, Any]]:
    lines = (files / "expect.jsonl").read_text("utf-8").splitlines()
    return {f"{one['folder']}/{one['file']}": one for one in map(json.loads, lines)}


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_every_file_is_accounted_for(
    files: Path, documents: dict[str, Document], reasons: dict[str, str]
) -> None:
    here = {path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_file()}
    assert here == documents.keys() | reasons.keys()
    assert not documents.keys() & reasons.keys()
    assert all(document.text.strip() for document in documents.values())
    assert reasons["text/empty.txt"] == "is empty"
    assert {f"text/{name}" for name in _OTHERS} <= documents.keys()


def test_pdf(
    expected: dict[str, dict[str, Any]], documents: dict[str, Document], reasons: dict[str, str]
) -> None:
    for name, item in expected.items():
        if item["folder"] != "pdf":
            continue
        theirs = item["pypdf"]
        if theirs["encrypted"] and not theirs["opens_with_empty_password"]:
            assert reasons[name] == "is encrypted: a password is needed to read it"
        elif not theirs["chars"]:
            assert reasons[name].startswith("holds no text; ")
        else:
            document = documents[name]
            assert document.format == "pdf"
            assert len(document.pages) == theirs["pages"], name
            # Versions of the library see spaces differently.
            assert squeezed(document.text).startswith(squeezed(theirs["head"])[:100]), name
            ends = [*document.pages[1:], len(document.text)]
            pages = [document.text[one:end] for one, end in zip(document.pages, ends, strict=True)]
            count = sum(len(page.strip()) for page in pages)
            assert count == pytest.approx(theirs["chars"], rel=0.01, abs=2), name
            empty = theirs["empty_pages"]
            told = any(f"{empty} of {theirs['pages']} pages" in one for one in document.warnings)
            assert told == (empty > 0), name


def test_docx(
    files: Path,
    expected: dict[str, dict[str, Any]],
    documents: dict[str, Document],
    reasons: dict[str, str],
) -> None:
    for name, item in expected.items():
        if item["folder"] != "docx":
            continue
        texts = list(words_of(files / name))
        if name in reasons:
            assert not texts, name
            assert reasons[name].startswith("holds no text")
            continue
        text = squeezed(documents[name].text)
        for one in texts:
            assert squeezed(one) in text, (name, one)


def words_of(path: Path) -> list[str]:
    """All texts of the parts that a reader sees."""
    found = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if re.fullmatch(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml", name):
                root = ET.fromstring(archive.read(name))
                found += [each.text for each in root.iter(f"{_W}t") if (each.text or "").strip()]
    return [text for text in found if text]


def test_docx_text_that_is_easily_missed(documents: dict[str, Document]) -> None:
    def text(name: str) -> str:
        return documents[f"docx/{name}.docx"].text

    assert text("python-mammoth__text-box") == "Datum plane\n"
    assert text("python-mammoth__strict-format") == "Test\n"
    assert "A tachyon walks into a bar." in text("python-mammoth__footnotes")
    assert "A tachyon walks into a bar." in text("python-mammoth__endnotes")
    assert "| Top left | Top right |" in text("python-mammoth__tables")
    assert text("python-docx__hdr-header-footer").startswith("Header for section-1\n")
    assert "another one here>><<with text following" in text(
        "python-docx__par-rendered-page-breaks"
    )


def test_encodings(
    files: Path, expected: dict[str, dict[str, Any]], documents: dict[str, Document]
) -> None:
    """Every text is the one that its encoding gives, and what was guessed is told."""
    seen = 0
    for name, item in expected.items():
        if item["folder"] != "text":
            continue
        seen += 1
        raw = (files / name).read_bytes()
        right = raw.decode(item["encoding"]).lstrip("\ufeff").replace("\0", "")
        right = right.replace("\r\n", "\n").replace("\r", "\n")
        found = decode(raw)
        differing = sum(one != other for one, other in zip(found.text, right, strict=True))
        # Sets of the same name differ in a few signs, such as the dash of GB 2312.
        assert differing <= len(right) * 0.001, name
        assert documents[name].warnings == found.warnings
    assert seen == 54
    guessed = [name for name, one in documents.items() if "guess" in "".join(one.warnings)]
    assert len(guessed) == 26


def test_html_is_read_as_text(documents: dict[str, Document]) -> None:
    pages = [one for one in documents.values() if one.format == "html"]
    assert len(pages) == 19
    for page in pages:
        assert not re.search(r"</?(html|body|title|p|h1|meta)\b", page.text), page.id
