"""Tokens, the rule that makes them, and the form in which quotes are matched."""

import re
import string
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.scoring.text import (
    Rule,
    fold,
    normalise_quote,
    rouge_tokens,
    rule_for,
    squad_tokens,
    unicode_tokens,
)


def official_squad(text: str) -> str:
    """SQuAD's normalisation, step by step as its script defines it."""
    text = "".join(char for char in text.lower() if char not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


class TestRule:
    @pytest.mark.parametrize("language", ["en", "EN", "en-GB", "en_US", "eng"])
    def test_english_is_squad(self, language: str) -> None:
        assert rule_for("東京", language) is Rule.SQUAD

    @pytest.mark.parametrize("language", ["de", "zh-Hans", "fr", "mul", "x-en"])
    def test_other_languages_are_unicode(self, language: str) -> None:
        assert rule_for("thirty days", language) is Rule.UNICODE

    @pytest.mark.parametrize("language", [None, ""])
    @pytest.mark.parametrize(
        "reference",
        ["", "42", "thirty days", "dreißig Tage – 25 €", "Łódź", "5 µm", "ﬁve", "ＡＢＣ", "№ 5 😀"],
    )
    def test_latin_without_a_language_is_squad(self, reference: str, language: str | None) -> None:
        assert rule_for(reference, language) is Rule.SQUAD

    @pytest.mark.parametrize(
        "reference", ["三十天", "thirty (三十)", "тридцать", "ثلاثون", "α", "ไทย"]
    )
    def test_other_letters_without_a_language_are_unicode(self, reference: str) -> None:
        assert rule_for(reference) is Rule.UNICODE


class TestSquadTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("The Denver Broncos", ["denver", "broncos"]),
            ("a  an\tthe", []),
            ("U.S.A. (1969)", ["usa", "1969"]),
            ("twenty-four", ["twentyfour"]),
            ("Theory another Anne", ["theory", "another", "anne"]),
            ("$5.00", ["500"]),
            ("“quoted” – the end", ["“quoted”", "–", "end"]),
            ("the–end", ["–end"]),
            ("", []),
        ],
    )
    def test_known(self, text: str, tokens: list[str]) -> None:
        assert squad_tokens(text) == tokens

    @given(st.text())
    def test_is_the_official_normalisation(self, text: str) -> None:
        assert " ".join(squad_tokens(text)) == official_squad(text)

    @given(st.text(alphabet="athe n_-–“\x00\x1f\u3000'.éA1"))
    def test_is_the_official_normalisation_around_articles(self, text: str) -> None:
        assert " ".join(squad_tokens(text)) == official_squad(text)


class TestUnicodeTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("", []),
            ("Thirty days, the end!", ["thirty", "days", "the", "end"]),
            ("l’école d'été", ["l", "école", "d", "été"]),
            ("don´t", ["don", "t"]),
            ("Straße STRASSE", ["strasse", "strasse"]),
            ("25,50 €/Monat", ["25", "50", "monat"]),
            ("三十天。", ["三", "十", "天"]),
            ("第3章", ["第", "3", "章"]),
            ("ＡＢＣ１２３", ["abc123"]),
            ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
            ("ﾄｳｷｮｳ", ["ト", "ウ", "キ", "ョ", "ウ"]),
            ("가격은 5,000원", ["가격은", "5", "000원"]),
            ("น้ำ", ["น\u0e49\u0e4d", "\u0e32"]),
            ("abcไม่def", ["abc", "ไ", "ม่", "def"]),
            ("ភាសា", ["ភា", "សា"]),
            ("ကျွန်", ["ကျွ", "န်"]),
            ("Cafe\u0301 café", ["café", "café"]),
            ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
            ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zerowidth"]),
            ("line\x00break\x0b", ["line", "break"]),
            ("5㎏ ½", ["5kg", "1", "2"]),
            ("snake_case", ["snake", "case"]),
            ("😀👍", []),
        ],
    )
    def test_known(self, text: str, tokens: list[str]) -> None:
        assert unicode_tokens(text) == tokens

    def test_every_character_is_stable(self) -> None:
        for code in range(0x30000):
            tokens = unicode_tokens(chr(code))
            assert unicode_tokens(" ".join(tokens)) == tokens, hex(code)

    @given(st.text())
    def test_idempotent(self, text: str) -> None:
        tokens = unicode_tokens(text)
        assert unicode_tokens(" ".join(tokens)) == tokens

    @given(st.text())
    def test_no_token_holds_white_space_or_punctuation(self, text: str) -> None:
        for token in unicode_tokens(text):
            assert token
            assert not {unicodedata.category(char)[0] for char in token} & {"P", "S", "Z"}

    @given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
    def test_composition_does_not_matter(self, text: str) -> None:
        decomposed = unicodedata.normalize("NFD", text)
        assert unicode_tokens(text) == unicode_tokens(unicodedata.normalize("NFC", decomposed))


class TestRougeTokens:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("The U.S. isn't 2nd.", ["the", "u", "s", "isn", "t", "2nd"]),
            ("naïve café", ["na", "ve", "caf"]),
            ("三十天", []),
            ("snake_case\u2028x", ["snake", "case", "x"]),
            ("lone \ud800 surrogate", ["lone", "surrogate"]),
        ],
    )
    def test_known(self, text: str, tokens: list[str]) -> None:
        assert rouge_tokens(text) == tokens

    @given(st.text())
    def test_is_the_published_expression(self, text: str) -> None:
        assert rouge_tokens(text) == re.findall("[a-z0-9]+", text.lower())


class TestNormaliseQuote:
    @pytest.mark.parametrize(
        ("text", "normal"),
        [
            ("  Wet \n\t tents ", "Wet tents"),
            ("a" + " " * 1000 + "b", "a b"),
            ("a\x1cb\x0bc", "a b c"),
            ("a\x00b", "a\x00b"),
            ("Case Stays", "Case Stays"),
            ("ﬁrst\u00a0page\u3000two", "first page two"),
            ("zero\u200bwidth soft\u00adhyphen \ufeffmark", "zerowidth softhyphen mark"),
            ("e\u200d\u0301", "é"),
            ("\u202etxt\u202c", "txt"),
            ("三，四", "三,四"),
        ],
    )
    def test_known(self, text: str, normal: str) -> None:
        assert normalise_quote(text) == normal

    @given(st.text())
    def test_idempotent(self, text: str) -> None:
        assert normalise_quote(normalise_quote(text)) == normalise_quote(text)

    @given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
    def test_ascii_goes_the_same_way(self, text: str) -> None:
        assert normalise_quote(text) == " ".join(text.split())
        assert normalise_quote(f"{text} é").removesuffix("é").strip() == normalise_quote(text)

    def test_fold_has_no_case(self) -> None:
        assert fold(" CANARY\u200b-Word  Straße ") == "canary-word strasse"


@pytest.mark.parametrize(
    "text", [" " * 10**6, "a " * 500_000, "\u200b" * 10**6, "́" * 10**6, "中" * 10**6, "'" * 10**6]
)
def test_a_million_characters_take_no_minute(text: str) -> None:
    started = time.perf_counter()
    for function in (squad_tokens, unicode_tokens, rouge_tokens, normalise_quote):
        function(text)
    assert time.perf_counter() - started < 20
