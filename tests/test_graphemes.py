"""What readers see as one character stays in one piece."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.graphemes import boundary, joined

FRAGMENTS = [
    "a",
    " ",
    "\n",
    "\r",
    "\u0301",
    "\u200d",
    "👩",
    "🏽",
    "🇩",
    "🇫",
    "क",
    "\u094d",
    "가",
    "\u1100",
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=40).map("".join)


def clusters(text: str) -> list[str]:
    ends = [at for at in range(1, len(text)) if not joined(text, at)] + [len(text)]
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    "expected",
    [
        ["a", "b", " ", "c"],
        ["a", "\r\n", "b", "\n", "\r", "c"],
        ["e\u0301", "x\u0323\u0307", " \u0301", "a"],
        ["\n", "\u0301", "a"],
        ["\u0301", "\n"],
        ["👩\u200d👧", "❤\ufe0f", "👍🏽", "1\ufe0f\u20e3"],
        ["🇩🇪", "🇫🇷", "🇬", "x", "🇩🇪"],
        ["🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", "x"],
        ["क्ष", "त्र", " ", "है"],
        ["क\u094d\u093cष", "क\u093cष".removesuffix("ष"), "ष"],
        ["த", "மி", "ழ்", " ", "a"],
        ["ழ்", ".", "க"],
        ["กำ", "น้ำ", "ที่"],
        ["\u1112\u1161\u11ab", "가\u11a8", "가", "나"],
        ["\u1100\u1100가", "\u1100\ud7b0", "x"],
        ["ｶ\uff9e", "が", "か\u3099"],
        ["\u0600١", "٢"],
        ["م", "ی\u200c", "خ"],
        ["\ud800", "\udc00"],
    ],
)
def test_clusters(expected: list[str]) -> None:
    assert clusters("".join(expected)) == expected


def test_every_mark_of_this_python_joins_what_precedes() -> None:
    """The table is as old as it is: later versions of Unicode may only add to it."""
    marks = [
        chr(point)
        for point in range(0x110000)
        if unicodedata.category(chr(point)) in ("Mn", "Me", "Mc")
    ]
    assert len(marks) > 2_000
    missing = [mark for mark in marks if not joined(f"a{mark}", 1)]
    # Unicode 16 and later, in scripts that 15.1 does not know.
    assert len(missing) < 200 and not [mark for mark in missing if ord(mark) < 0x800]  # noqa: PT018


def test_letters_of_all_scripts_are_not_marks() -> None:
    for point in range(0x110000):
        if unicodedata.category(chr(point)) in ("Lu", "Ll", "Lo", "Zs", "Po", "Sm", "Nd"):
            extends = joined(f"a{chr(point)}", 1)
            assert not extends or point in (0xE33, 0xEB3), hex(point)


@given(texts)
def test_a_known_boundary_changes_nothing(text: str) -> None:
    since = 0
    for at in range(1, len(text)):
        assert joined(text, at, since) == joined(text, at), at
        if not joined(text, at):
            since = at


@given(texts, st.integers(0, 40))
def test_boundary_goes_back_to_where_nothing_is_joined(text: str, limit: int) -> None:
    limit = min(limit, len(text))
    at = boundary(text, limit)
    assert at <= limit
    assert not joined(text, at) or (at == limit and limit > 0)


def test_ends_are_never_joined() -> None:
    assert not joined("\u0301", 0)
    assert not joined("\u0301", 1)
    assert not joined("", 0)


def test_a_row_of_flags_is_counted_from_the_known_boundary() -> None:
    flags = "🇩🇪" * 200_000
    since = 0
    for at in range(1, len(flags)):
        if not joined(flags, at, since):
            since = at
    assert since == len(flags) - 2
