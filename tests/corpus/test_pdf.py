"""What is read of a PDF: pages and where they begin."""

import zlib
from io import BytesIO

import pypdf
import pytest
from making import assemble, make_pdf

from ragproof.corpus.exchange import Message
from ragproof.corpus.extract import answer
from ragproof.corpus.pdffile import extract
from ragproof.corpus.unreadable import UnreadableError


def encrypted(raw: bytes, user: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=BytesIO(raw))
    writer.encrypt(user, "owner", algorithm=algorithm)
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


def test_pages_begin_where_it_says() -> None:
    found = extract(make_pdf(["first page", "second page", "third page"]))
    assert found.text == "first page\n\nsecond page\n\nthird page"
    assert [found.text[start : start + 5] for start in found.pages] == ["first", "secon", "third"]
    assert found.warnings == ()


def test_blank_pages_count_and_are_told() -> None:
    found = extract(make_pdf(["", "two", "", "four", ""]))
    assert len(found.pages) == 5
    assert found.text[found.pages[1] :].startswith("two")
    assert found.text[found.pages[3] :].startswith("four")
    assert found.pages == tuple(sorted(set(found.pages)))
    assert found.warnings == (
        "3 of 5 pages without text: blank or pictures, which are not read (no OCR) (1, 3, 5)",
    )


def test_what_is_beside_the_pages_is_told() -> None:
    catalog = "/Names << /EmbeddedFiles << /Names [] >> >> /AcroForm << /Fields [3 0 R] >>"
    assert extract(make_pdf(["x"], catalog)).warnings == (
        "attached files are not read",
        "what is filled into form fields is not read",
    )


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_an_empty_password_is_tried(algorithm: str) -> None:
    assert extract(encrypted(make_pdf(["secret"]), "", algorithm)).text == "secret"


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_no_other_password_is_known(algorithm: str) -> None:
    with pytest.raises(UnreadableError, match="a password is needed"):
        extract(encrypted(make_pdf(["secret"]), "mellon", algorithm))


def test_a_page_that_is_broken_costs_only_itself() -> None:
    raw = make_pdf(["first", "second", "third"])
    contents = b"/Contents 7 0 R"
    assert contents in raw
    found = extract(raw.replace(contents, b"/Contents (text)"[: len(contents)]))
    assert "first" in found.text
    assert "third" in found.text
    assert len(found.pages) == 3


def test_tables_that_are_lost_are_rebuilt() -> None:
    raw = make_pdf(["still here"])
    assert extract(raw.replace(b"startxref\n", b"startxref\n9")).text == "still here"
    assert extract(raw.replace(b"0000000009 00000 n", b"0000000700 00000 n")).text == "still here"


@pytest.mark.parametrize(
    "objects",
    [
        # A page tree that holds itself; two that hold each other; a parent that is its child.
        ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"],
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
        ],
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 3 0 R >>",
            "<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>",
            "4 0 R",
        ],
        ["<< /Type /Catalog /Pages 1 0 R >>"],
        ["1 0 R"],
    ],
)
def test_loops_end(objects: list[str]) -> None:
    reply = answer(Message({"format": "pdf"}, assemble(objects)))
    assert reply.body.strip() == b""
    assert "memory" not in reply.head.get("reason", "")


def test_a_stream_that_unpacks_to_too_much_costs_only_its_page() -> None:
    packed = zlib.compress(b" " * 200_000_000, 9).decode("latin-1")
    stream = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n{packed}\nendstream"
    fonts = "/Resources << /Font << /F 7 0 R >> >>"
    raw = assemble(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
            f"<< /Type /Page /Parent 2 0 R /Contents 5 0 R {fonts} >>",
            f"<< /Type /Page /Parent 2 0 R /Contents 6 0 R {fonts} >>",
            stream,
            "<< /Length 24 >>\nstream\nBT /F 9 Tf (small) Tj ET\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )
    found = extract(raw)
    assert found.text.strip() == "small"
    assert found.warnings == ("1 of 2 pages cannot be read (1)",)
