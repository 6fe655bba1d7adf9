"""Full-text search over chunks in many scripts."""

import pytest
from genkit import FEE, HUT, TENT, chunk
from hypothesis import given
from hypothesis import strategies as st

from ragproof.generate.search import ChunkIndex

TEXTS = {
    "fee": FEE,
    "tent": TENT,
    "hut": HUT,
    "de": "Die Rückgabefrist für Zelte beträgt vierzehn Tage ab dem Tag der Ausleihe.",
    "zh": "帐篷的租借期限为十四天，逾期每天加收五欧元。",
    "ja": "カヤックの料金は一日十二ユーロで、受付で支払います。",
    "th": "ค่าเช่าเรือคายัควันละสิบสองยูโร ชำระที่เคาน์เตอร์",
    "ar": "تبلغ رسوم استئجار القارب اثني عشر يورو في اليوم وتدفع عند المكتب.",
    "ru": "Плата за прокат байдарки составляет двенадцать евро в день.",
}


@pytest.fixture(scope="module")
def index() -> ChunkIndex:
    return ChunkIndex(chunk(text, name) for name, text in TEXTS.items())


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the fee of a kayak?", "fee"),
        ("Who is Ingrid?", "hut"),
        ("Wie lange ist die Frist für die Rückgabe?", "de"),
        ("租借帐篷可以多少天？", "zh"),
        ("一日の料金はいくらですか", "ja"),
        ("เรือคายัคเช่าวันละเท่าไร", "th"),
        ("كم تبلغ رسوم القارب؟", "ar"),
        ("Сколько стоит прокат?", "ru"),
    ],
)
def test_what_is_asked_for_is_found_first(index: ChunkIndex, question: str, first: str) -> None:
    assert index.search(question, 3)[0].document_id == first


def test_headings_are_searched() -> None:
    index = ChunkIndex([chunk("One.", "a"), chunk("Two.", "b", headings=("Deposits",))])
    assert [one.document_id for one in index.search("deposit?", 5)] == ["b"]


@pytest.mark.parametrize("question", ["", "?!", "xyzzy", '" OR NEAR( *', "a" * 100_000])
def test_what_shares_nothing_finds_nothing(index: ChunkIndex, question: str) -> None:
    assert index.search(question, 5) == []


@given(st.text())
def test_any_text_can_be_searched_for(index: ChunkIndex, question: str) -> None:
    assert len(index.search(question, 2)) <= 2


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=8, unique=True))
def test_any_text_can_be_indexed_and_equal_ones_keep_their_order(texts: list[str]) -> None:
    index = ChunkIndex(chunk(text, f"{number}") for number, text in enumerate(texts * 2))
    for text in texts:
        found = [int(one.document_id) for one in index.search(text, 20) if one.text == text]
        assert found == sorted(found)
    index.close()
