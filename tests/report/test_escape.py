"""Texts of others stay readable and can do nothing."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragproof.report.escape import code, collapse, cut, fence, plain, span, visible, xml_text

FRAGMENTS = [
    *("`", "``", "```", "~~~", "|", "\\", "\\|", "\n", "\r\n", "\r", " ", "\t", "    ", "\n\n"),
    *("@everyone", "@", "#1", "org/repo#12", "GH-1", "deadbeef", "defaced", "1234567"),
    *(
        "https://e.example",
        "http:",
        "//",
        "www.",
        "www. ",
        "a@b.example",
        "e.example",
        "xmpp:a@b.c",
    ),
    *("![x](https://e.example/p)", "[x]", "(y)", "[x]: /y", "<https://e.example>", "[^1]"),
    *("<b>", "</details>", "</code>", "<!--", "-->", "<!-- ragproof", "<![CDATA[", "&lt;", "&#64;"),
    *("# ", "1. ", "1) ", "- ", "+ ", "> ", "---", "===", "|---|", "**", "__", "~~", "$x$", "$`"),
    *(
        ":tada:",
        "word",
        "über",
        "退货。",
        "3.14",
        "it's",
        "(so)",
        "www",
        "\u202e",
        "\u200b",
        "\x00",
    ),
    *("\x1b[2J", "\ud800", "\ufe0f", "\u2028", "\u0085", "\U000e0041", "👩‍👧", "e\u0301", "\xa0"),
]
hostile = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=12).map("".join)


def shown(text: str) -> str:
    """What readers are to see of a text in a code span."""
    return visible(collapse(text)).replace("<!--", r"<\u0021--") or "(empty)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, größer 退货 👍🏽 ❤️", "plain text, größer 退货 👍🏽 ❤️"),
        ("a\x00b\x1b[31m\x7f\x85", r"a\u0000b\u001B[31m\u007F\u0085"),
        ("one\ntwo\tthree", r"one\u000Atwo\u0009three"),
        ("\u202egnp.exe\u2066\u200f", r"\u202Egnp.exe\u2066\u200F"),
        ("a\u200bb\u200dc\ufeffd\u2060\xad", r"a\u200Bb\u200Dc\uFEFFd\u2060\u00AD"),
        ("\ud800x\udfff", r"\uD800x\uDFFF"),
        ("\U000e0041\U0001d173", r"\u{E0041}\u{1D173}"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("e\u0301 é", "e\u0301 é"),
        ("a\ufe0f\ufe0f \ufe0f\ufe01", "a\ufe0f\\uFE0F \\uFE0F\\uFE01"),
        ("\ufe0fa", "\\uFE0Fa"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("first", "last"),
    [
        *((0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C)),
        *((0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F)),
        *((0x3164, 0x3164), (0xD800, 0xDFFF), (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF)),
        *((0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF), (0x1FFFE, 0x1FFFF), (0xE0000, 0xE0FFF)),
    ],
)
def test_what_hides_is_shown(first: int, last: int) -> None:
    """Controls, directions, no width, half characters, variants and tags: every one."""
    text = "".join(map(chr, range(first, last + 1)))
    assert visible(f"a{text}b").isascii()


@given(hostile)
def test_visible_leaves_nothing_hidden(text: str) -> None:
    result = visible(text)
    hidden = {"Cc", "Cs", "Zl", "Zp"}
    assert not [char for char in result if unicodedata.category(char) in hidden]
    assert visible(result) == result
    result.encode()


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "longe… (+1 character)"),
        ("x" * 1_304, 100, "x" * 100 + "… (+1,204 characters)"),
        ("abc", 0, "… (+3 characters)"),
        ("abe\u0301f", 3, "ab… (+3 characters)"),
        ("ab❤\ufe0fc", 3, "ab… (+3 characters)"),
        ("ab👩\u200d👧c", 3, "ab… (+4 characters)"),
        ("ab👩\u200d👧c", 4, "ab… (+4 characters)"),
        ("ab👍🏽c", 3, "ab… (+3 characters)"),
        ("🇩🇪🇫🇷x", 1, "🇩… (+4 characters)"),
        ("🇩🇪🇫🇷x", 2, "🇩🇪… (+3 characters)"),
        ("🇩🇪🇫🇷x", 3, "🇩🇪… (+3 characters)"),
        ("ab\u1112\u1161\u11abc", 3, "ab… (+4 characters)"),
        ("ab\u1112\u1161\u11abc", 4, "ab… (+4 characters)"),
        ("a\r\nb", 2, "a… (+3 characters)"),
        ("कक्ष है", 2, "क… (+6 characters)"),
        ("कक्ष है", 3, "क… (+6 characters)"),
        ("x\u1100가", 2, "x… (+2 characters)"),
        ("x\u1100\u1100가", 3, "x… (+3 characters)"),
        ("x가\u11a8", 2, "x… (+2 characters)"),
        ("กกำก", 2, "ก… (+3 characters)"),
    ],
)
def test_cut(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


def test_cut_is_not_held_up_by_a_heap_of_accents() -> None:
    kept, _, rest = cut("a" * 10 + "\u0301" * 1_000, 100).partition("…")
    assert len(kept) == 100
    assert rest == " (+910 characters)"


@given(hostile, st.integers(0, 40))
def test_cut_keeps_a_prefix_within_the_limit(text: str, limit: int) -> None:
    result = cut(text, limit)
    if len(text) <= limit:
        assert result == text
    else:
        kept = result[: result.rindex("… (+")]
        assert text.startswith(kept)
        assert max(0, limit - 32) <= len(kept) <= limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id", "`id`"),
        ("", "(empty)"),
        (" \n ", "(empty)"),
        ("two  words\n here ", "`two words here`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a``` `b`", "```` a``` `b` ````"),
        ("a|b", "`a|b`"),
        ("<!-- ragproof -->", r"`<\u0021-- ragproof -->`"),
    ],
)
def test_span(text: str, expected: str) -> None:
    assert span(text) == expected
    assert code(text) == expected.replace("|", r"\|")


PLACES = {
    "paragraph": ("so {}.", ["p", "/p"]),
    "item": ("- {}", ["ul", "li", "/li", "/ul"]),
    "heading": ("# {}", ["h1", "/h1"]),
    "start": ("{}", ["p", "/p"]),
}


@pytest.mark.parametrize("place", PLACES)
@given(text=hostile)
@example(text="``` ```")
def test_a_span_shows_the_text_and_nothing_else(
    page: Callable[[str], Any], place: str, text: str
) -> None:
    layout, blocks = PLACES[place]
    result = page(layout.format(span(text)))
    assert result.blocks == blocks
    assert (result.code or ["(empty)"]) == [shown(text)]


@given(first=hostile, second=hostile)
@example(first="a\\|b", second="a\\")
def test_code_stays_in_its_cell(page: Callable[[str], Any], first: str, second: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {code('x' + first)} | {code('y' + second)} |\n"
    result = page(table)
    assert result.code == [shown("x" + first), shown("y" + second)]
    assert [tag for tag in result.blocks if tag == "td"] == ["td", "td"]
    assert not result.links


@given(text=hostile)
@example(text="```\n````\n~~~")
def test_a_fence_shows_the_lines_and_nothing_else(page: Callable[[str], Any], text: str) -> None:
    result = page(f"before\n\n{fence(text)}\n\nafter")
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    body = "\n".join(visible(line.expandtabs(4)) for line in lines)
    assert result.elements == ["p", "/p", "pre", "code", "/code", "/pre", "p", "/p"]
    assert result.code == [body.replace("<!--", r"<\u0021--") + "\n"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("case it's over-refusal: (40 of 42), 3.5%.", "case it's over-refusal: (40 of 42), 3.5%."),
        ("retrieval.hit@10 is 0.", "`retrieval.hit@10` is 0."),
        ("用例通过：好。 größer", "用例通过：好。 größer"),
        ("see #1 and @all now", "see `#1` and `@all` now"),
        ("#1 @all <b> now", "`#1 @all <b>` now"),
        ("1. one", "`1.` one"),
        ("one 1.", "one 1."),
        ("www. defaced 1234567 GH-1", "`www. defaced 1234567 GH-1`"),
        ("a\u202eb c", r"`a\u202Eb` c"),
        ("", "(empty)"),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize("place", PLACES)
@given(text=hostile)
@example(text="www. x")
def test_plain_is_words_and_code(page: Callable[[str], Any], place: str, text: str) -> None:
    layout, blocks = PLACES[place]
    result = page(layout.format(plain(text)))
    assert result.blocks == blocks
    assert result.references == []


@given(hostile)
def test_no_comment_can_begin(text: str) -> None:
    assert "<!--" not in span(text) + code(text) + fence(text) + plain(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<&>\t\n\r ü 👍", "a<&>\t\n\r ü 👍"),
        ("\x00\x0b\x1b\ud800\ufffe", r"\u0000\u000B\u001B\uD800\uFFFE"),
        ("\x85\u202e", "\x85\u202e"),
    ],
)
def test_xml_text(text: str, expected: str) -> None:
    assert xml_text(text) == expected
