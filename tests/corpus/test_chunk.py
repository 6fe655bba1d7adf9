"""Chunks hold all of a document, in order, within their size, at places where it may be cut."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragproof.corpus.chunk import ChunkSettings, chunk_corpus, chunk_document
from ragproof.corpus.records import FORMATS, Chunk, Corpus, Document
from ragproof.errors import UsageError
from ragproof.graphemes import joined

FRAGMENTS = [
    *("# A\n", "## B ##\n", "#\n", "Title\n=====\n", "Title\n---\n", "*****\nTop\n*****\n", "\n\n"),
    *(
        "- item\n",
        "  - inner\n",
        "1. one\n",
        "> quote\n",
        "    indented\n",
        "| a | b |\n|---|---|\n",
    ),
    *("```py\n", "```\n", "~~~\n", "<!-- ", " -->\n", "<pre>\n", "</pre>\n", "[a]: /b\n", "---\n"),
    *("word ", "A sentence. ", "Options:\n", "1. Mai ", "文。", "字", "，", "ไทย", " ", "\t", "\n"),
    *(
        "\r\n",
        "\r",
        "\f",
        "\x00",
        "\ufeff",
        "\u2028",
        "\xa0",
        "\u200b",
        "def f():\n",
        "    x\n\n",
        "}\n",
    ),
    *(
        "e\u0301",
        " \u0301",
        "\u0301\u0301\u0301",
        "👩\u200d👧",
        "🇩🇪",
        "🇫",
        "க்",
        "क्ष",
        "\u1100",
        "\ud800",
    ),
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=60).map("".join)
sizes = st.integers(1, 60).flatmap(
    lambda size: st.builds(ChunkSettings, st.just(size), st.integers(0, size // 2))
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(texts)
    kind = draw(st.sampled_from(FORMATS))
    places = [at for at in range(len(text)) if not joined(text, at)]
    pages = draw(st.lists(st.sampled_from(places or [0]), max_size=5)) if kind == "pdf" else []
    return Document("docs/ä b.md", text, kind, tuple(sorted(pages)))


def visible(text: str) -> set[int]:
    return {at for at, char in enumerate(text) if not char.isspace()}


@given(documents(), sizes)
@example(Document("a", "x" * 50, "text"), ChunkSettings(7, 3))
@example(Document("a", "- a\n" * 20 + "\n```\nb\n\nc\n```\n", "markdown"), ChunkSettings(20, 9))
def test_chunks(document: Document, settings: ChunkSettings) -> None:
    text = document.text
    chunks = chunk_document(document, settings)
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.document_id == document.id
        assert chunk.text.strip()
        assert not joined(text, chunk.start)
        assert not joined(text, chunk.end)
        one = all(joined(text, at) for at in range(chunk.start + 1, chunk.end))
        assert len(chunk.text) <= settings.size or one
        assert (chunk.page is None) == (document.pages == ())
    assert visible(text) == visible(text) & {
        at for chunk in chunks for at in range(chunk.start, chunk.end)
    }
    for one, other in pairwise(chunks):
        assert one.start < other.start
        assert one.end < other.end
        assert one.end - other.start <= settings.overlap
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert chunk_document(document, settings) == chunks


@given(documents(), documents(), sizes)
def test_another_document_changes_no_chunk(
    document: Document, other: Document, settings: ChunkSettings
) -> None:
    corpus = Corpus((other._replace(id="a"), document, other._replace(id="z")))
    found = [chunk for chunk in chunk_corpus(corpus, settings) if chunk.document_id == document.id]
    assert found == chunk_document(document, settings)


@given(documents(), sizes)
def test_pages_begin_chunks(document: Document, settings: ChunkSettings) -> None:
    for chunk in chunk_document(document, settings):
        inside = [at for at in document.pages if chunk.start < at < chunk.end]
        assert not inside
        if document.pages:
            began = sum(at <= chunk.start for at in document.pages)
            assert chunk.page == max(1, began)


SECTION = "## Heading {0}\n\n" + "Paragraph {0} has a sentence of some length. " * 12 + "\n\n"


def ids(text: str) -> list[str]:
    return [chunk.id for chunk in chunk_document(Document("a", text, "markdown"))]


def test_a_changed_section_leaves_the_ids_of_others() -> None:
    parts = [SECTION.format(number) for number in range(10)]
    before = ids("".join(parts))
    parts[4] = "## New\n\nAltogether different. " * 30 + "\n\n"
    after = ids("".join(parts))
    assert len(set(before) - set(after)) == 1


def test_equal_texts_of_a_document_have_different_ids() -> None:
    found = ids(SECTION.format(1) * 5)
    assert len(set(found)) == len(found) == 5
    assert ids(SECTION.format(1) * 6)[:5] == found


def test_the_id_depends_on_the_document() -> None:
    one, other = (
        chunk_document(Document(name, "The same text.", "text"))[0] for name in ("a", "b")
    )
    assert one.id != other.id
    assert one.hash == other.hash


def test_ids_stay_what_they_are() -> None:
    """They stand in datasets: another id would make a case out of date that is not."""
    (chunk,) = chunk_document(Document("docs/a.md", "# T\n\nText.\n", "markdown"))
    assert chunk == Chunk("fc3ad740e6a0d776", "docs/a.md", 0, 10, "# T\n\nText.", ("T",))


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 6), (10, -1), (1200, 601)])
def test_settings_that_cannot_be(size: int, overlap: int) -> None:
    with pytest.raises(UsageError):
        ChunkSettings(size, overlap)


@pytest.mark.parametrize("text", ["", " \n\t\u3000\n", "\n" * 100])
@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_gives_no_chunk(text: str, kind: str) -> None:
    assert chunk_document(Document("a", text, kind)) == []
