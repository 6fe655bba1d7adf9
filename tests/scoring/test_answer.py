"""Exact match, token F1 and ROUGE-L against worked examples and naive definitions."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.scoring.answer import (
    AnswerScores,
    Reference,
    exact_match,
    lcs_length,
    rouge_l,
    token_f1,
)
from ragproof.scoring.text import Rule, squad_tokens

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "the", "of"]), max_size=30)
SENTENCES = WORDS.map(" ".join)
LANGUAGES = st.sampled_from([None, "en", "de", "zh"])


def naive_lcs(left: list[str], right: list[str]) -> int:
    rows = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            rows[i + 1][j + 1] = (
                rows[i][j] + 1 if one == other else max(rows[i][j + 1], rows[i + 1][j])
            )
    return rows[-1][-1]


def official_f1(answer: str, expected: str) -> float:
    """SQuAD's F1 as its script computes it."""
    predicted, gold = squad_tokens(answer), squad_tokens(expected)
    if not predicted or not gold:
        return float(predicted == gold)
    same = sum((Counter(predicted) & Counter(gold)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(predicted), same / len(gold)
    return 2 * precision * recall / (precision + recall)


class TestExactMatch:
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ("the Denver Broncos!", "Denver Broncos"),
            ("U.S.", "us"),
            ("", ""),
            ("The", "..."),
            ("三 十 天。", "三十天"),
            ("ТРИДЦАТЬ дней", "тридцать  дней."),
        ],
    )
    def test_match(self, answer: str, expected: str) -> None:
        assert exact_match(answer, expected) == 1.0

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [("Broncos Denver", "Denver Broncos"), ("", "x"), ("x", ""), ("三十日", "三十天")],
    )
    def test_no_match(self, answer: str, expected: str) -> None:
        assert exact_match(answer, expected) == 0.0

    def test_german_articles_count_with_the_language(self) -> None:
        assert exact_match("an der Kasse", "der Kasse") == 1.0
        assert exact_match("an der Kasse", "der Kasse", "de") == 0.0


class TestTokenF1:
    @pytest.mark.parametrize(
        ("answer", "expected", "f1"),
        [
            ("Denver Broncos", "the Denver Broncos", 1.0),
            ("Broncos", "Denver Broncos", 2 / 3),
            ("Carolina Panthers", "Denver Broncos", 0.0),
            ("yes yes no", "yes yes yes", 2 / 3),
            ("a b b c", "b c d", 2 * 2 / (3 + 3)),  # the article of the answer goes
            ("", "", 1.0),
            ("", "Denver", 0.0),
            ("Denver", "", 0.0),
        ],
    )
    def test_known(self, answer: str, expected: str, f1: float) -> None:
        assert token_f1(answer, expected) == pytest.approx(f1, abs=1e-12)

    def test_chinese_by_characters(self) -> None:
        assert token_f1("退款期限是三十天。", "三十天") == pytest.approx(2 * 3 / (8 + 3))

    def test_japanese_by_characters(self) -> None:
        assert token_f1("三十日以内です", "三十日") == pytest.approx(2 * 3 / (7 + 3))

    def test_german_folds_case_and_sharp_s(self) -> None:
        assert token_f1("DREISSIG TAGE", "dreißig Tage", "de") == 1.0

    @given(SENTENCES, SENTENCES)
    def test_is_the_official_figure(self, answer: str, expected: str) -> None:
        assert token_f1(answer, expected) == pytest.approx(official_f1(answer, expected), abs=1e-12)


class TestRougeL:
    @pytest.mark.parametrize(
        ("answer", "expected", "f1"),
        [
            # Lin 2004, section 3.1: LCS of 3 and of 2 of 4 words each.
            ("police kill the gunman", "police killed the gunman", 3 / 4),
            ("the gunman kill police", "police killed the gunman", 2 / 4),
            # The published tests of Google's package.
            ("testing one two", "testing", 2 * 1 / (3 + 1)),
            ("testing", "testing one two", 2 * 1 / (3 + 1)),
            ("", "testing", 0.0),
            ("", "", 0.0),
        ],
    )
    def test_known(self, answer: str, expected: str, f1: float) -> None:
        assert rouge_l(answer, expected) == pytest.approx(f1, abs=1e-12)

    def test_articles_count(self) -> None:
        assert rouge_l("the tent", "tent") == pytest.approx(2 / 3)

    def test_text_that_the_english_tokens_cannot_see_is_no_match(self) -> None:
        assert rouge_l("中国", "日本", "en") == 0.0

    def test_chinese_order_counts(self) -> None:
        assert rouge_l("十三天", "三十天") == pytest.approx(2 / 3)
        assert token_f1("十三天", "三十天") == 1.0


class TestReference:
    def test_compare_shares_its_work_with_the_functions(self) -> None:
        reference = Reference("The fee is 25 euros", "en")
        assert reference.rule is Rule.SQUAD
        assert reference.compare("the fee: 25 dollars") == AnswerScores(
            exact_match("the fee: 25 dollars", "The fee is 25 euros", "en"),
            token_f1("the fee: 25 dollars", "The fee is 25 euros", "en"),
            rouge_l("the fee: 25 dollars", "The fee is 25 euros", "en"),
        )

    def test_can_be_compared_again(self) -> None:
        reference = Reference("yes yes")
        first = reference.compare("yes")
        assert reference.compare("yes") == first

    def test_the_answer_does_not_choose_the_rule(self) -> None:
        assert Reference("thirty days").compare("тридцать days").token_f1 == 0.5

    @given(st.text(), st.text(), LANGUAGES)
    def test_range(self, answer: str, expected: str, language: str | None) -> None:
        scores = Reference(expected, language).compare(answer)
        assert all(0.0 <= score <= 1.0 for score in scores)
        assert scores.exact_match in {0.0, 1.0}
        assert scores.token_f1 == 1.0 or not scores.exact_match

    @given(SENTENCES, SENTENCES, LANGUAGES)
    def test_symmetry(self, left: str, right: str, language: str | None) -> None:
        assert Reference(left, language).compare(right) == Reference(right, language).compare(left)

    @given(st.text(), LANGUAGES)
    def test_a_text_matches_itself(self, text: str, language: str | None) -> None:
        scores = Reference(text, language).compare(text)
        assert scores[:2] == (1.0, 1.0)
        assert scores.rouge_l in {0.0, 1.0}

    @given(SENTENCES, SENTENCES)
    def test_order_can_only_lower_the_unicode_rouge(self, answer: str, expected: str) -> None:
        scores = Reference(expected, "de").compare(answer)
        if answer and expected:
            assert scores.rouge_l <= scores.token_f1


class TestLcs:
    def test_textbook(self) -> None:
        assert lcs_length("ABCBDAB", "BDCABA") == 4  # Cormen et al., Introduction to Algorithms

    @given(WORDS, WORDS)
    def test_is_the_table(self, left: list[str], right: list[str]) -> None:
        assert lcs_length(left, right) == naive_lcs(left, right) == lcs_length(right, left)

    @given(st.lists(st.sampled_from("ab"), min_size=60, max_size=140), WORDS)
    def test_is_the_table_beyond_a_machine_word(self, left: list[str], right: list[str]) -> None:
        assert lcs_length(left, left[::-1]) == naive_lcs(left, left[::-1])
        assert lcs_length(left, right) == naive_lcs(left, right)


@pytest.mark.parametrize(
    ("expected", "unit"),
    [("the fee is 25 euros", "the fee is 25 euros or "), ("三十天内退款", "三十天内")],
)
def test_ten_megabytes_of_answer(expected: str, unit: str) -> None:
    answer = unit * (10_000_000 // len(unit.encode()))
    started = time.perf_counter()
    assert Reference(expected).compare(answer).token_f1 < 0.001
    assert time.perf_counter() - started < 30


def test_a_long_reference() -> None:
    text = " ".join(str(number) for number in range(20_000))
    started = time.perf_counter()
    assert Reference(text).compare(text) == (1.0, 1.0, 1.0)
    assert time.perf_counter() - started < 30
