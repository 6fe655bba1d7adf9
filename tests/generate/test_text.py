"""Parts of texts, and quotes that are found again however they are written."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.generate.text import coverage, find_quote, numbers, parts, similarity
from ragproof.scoring.text import normalise_quote


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fee: 12 EUR", ["fee", "12", "eur"]),
        ("Rückgabe", ["rück", "ückg", "ckga", "kgab", "gabe"]),
        ("日本語", ["日本", "本語"]),
        ("東 is", ["東", "is"]),
        ("東京 and 大阪", ["東京", "and", "大阪"]),
        ("กิน", ["กิน"]),
        ("", []),
        ("…!", []),
    ],
)
def test_parts(text: str, found: list[str]) -> None:
    assert parts(text) == found


@given(st.text())
def test_any_text_has_parts_that_can_be_words_of_an_index(text: str) -> None:
    for part in parts(text):
        assert part
        assert not any(char.isspace() or char == '"' for char in part)


@pytest.mark.parametrize(
    ("answer", "quote", "share"),
    [("12 euros", "It costs 12 euros.", 1.0), ("Ingrid", "Nobody", 0.0), ("", "x", 0.0)],
)
def test_coverage(answer: str, quote: str, share: float) -> None:
    assert coverage(answer, quote) == share


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12 of 1,200.50 in ２０２４", {"12", "120050", "2024"}),
        ("1 000 000", {"1", "000"}),
        ("1\u202f000", {"1000"}),
        ("3.", {"3"}),
        ("none", set()),
    ],
)
def test_numbers(text: str, found: set[str]) -> None:
    assert numbers(text) == found


def test_similarity() -> None:
    assert similarity("abcd", "bcde") == 3 / 5
    assert similarity("", "") == 1.0


def plain(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, normalise_quote(text)))


class TestFindQuote:
    @pytest.mark.parametrize(
        ("quote", "text", "found"),
        [
            ("is 12  euros", "It is 12\neuros.", "is 12\neuros"),
            ("e\u0301te\u0301", "l'été", "été"),
            ("été", "un e\u0301te\u0301 chaud", "e\u0301te\u0301"),
            ("ﬁne", "a fine day", "fine"),
            ("soft hyphen", "a soft hy\u00adphen", "soft hy\u00adphen"),
            (
                "한국",
                "\u1112\u1161\u11ab\u1100\u116e\u11a8 사람",
                "\u1112\u1161\u11ab\u1100\u116e\u11a8",
            ),
            ("カﾞス", "ガス", "ガス"),
            ("東 京", "東京", "東京"),
            ('He said "no" - twice', "He said “no” — twice.", "He said “no” — twice"),
            ("It's 'so'", "It’s «so».", "It’s «so»"),
        ],
    )
    def test_found(self, quote: str, text: str, found: str) -> None:
        span = find_quote(quote, text)
        assert span is not None
        assert text[span.start : span.end] == found

    @pytest.mark.parametrize("quote", ["", "  ", "\u200b", "13 euros", "It is 12 Euros"])
    def test_not_found(self, quote: str) -> None:
        assert find_quote(quote, "It is 12 euros.") is None

    @given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=60), st.booleans())
    def test_what_was_copied_is_found(
        self, before: str, quote: str, after: str, decomposed: bool
    ) -> None:
        text = f"{before} {quote} {after}"
        written = unicodedata.normalize("NFD" if decomposed else "NFC", quote)
        if not normalise_quote(written):
            return
        span = find_quote(written, text)
        if normalise_quote(written) == normalise_quote(quote):
            assert span is not None

    @given(st.text(max_size=30), st.text(max_size=60))
    def test_what_is_found_is_the_quote(self, quote: str, text: str) -> None:
        span = find_quote(quote, text)
        if span is not None:
            found = normalise_quote(text[span.start : span.end])
            assert plain(quote) in plain(found)
