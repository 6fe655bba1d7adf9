"""Known-item questions: sentences, terms that tell documents apart, questions made of them."""

import pytest
from genkit import FEE, HUT, TENT, corpus
from hypothesis import given
from hypothesis import strategies as st

from ragproof.corpus.chunk import chunk_corpus
from ragproof.corpus.records import Corpus, Document
from ragproof.generate.extractive import Prose, extract
from ragproof.generate.records import Discard, Discarded, Draft, Outcome
from ragproof.generate.salience import Salience, terms
from ragproof.generate.sampling import spread
from ragproof.generate.sentences import sentences
from ragproof.scoring.text import fold


def split(text: str, *, markup: bool = True) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, markup=markup)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One is here. Two is not! Is it? Yes.", ["One is here.", "Two is not!", "Is it?", "Yes."]),
        ("It costs 3.50 euros. Fine.", ["It costs 3.50 euros.", "Fine."]),
        ("See Dr. Smith, e.g. on Mondays. Go.", ["See Dr. Smith, e.g. on Mondays.", "Go."]),
        ("Am 3. Oktober, z. B. um acht. Dann.", ["Am 3. Oktober, z. B. um acht.", "Dann."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("东京是首都。人口很多！对吗？", ["东京是首都。", "人口很多！", "对吗？"]),
        ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
        ("ما هذا؟ هذا كتاب.", ["ما هذا؟", "هذا كتاب."]),
        ("A line\nthat goes on. Next\n\nnew one", ["A line\nthat goes on.", "Next", "new one"]),
        ("# Title\n\nText here.", ["Text here."]),
        ("Title\n=====\n\nText here.", ["Text here."]),
        ("- One item.\n- Two\n  lines.\n1. Third.", ["One item.", "Two\n  lines.", "Third."]),
        ("Before.\n```\ncode. more.\n```\nAfter.", ["Before.", "After."]),
        ("Before.\n~~~~\n```\ncode.\n~~~~\nAfter.", ["Before.", "After."]),
        ("Title\n~~~~~\n\nText here.\n\nNext\n^^^^\n\nMore.", ["Text here.", "More."]),
        ("| a. | b. |\n| --- | --- |\n\nText.", ["Text."]),
        ("> Quoted text. More.", ["Quoted text.", "More."]),
        ("", []),
        ("   \n\n", []),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert split(text) == found


def test_plain_text_has_no_markup() -> None:
    assert split("# One. Two.", markup=False) == ["# One.", "Two."]


def test_thai_is_cut_at_spaces() -> None:
    text = "ค่าเช่าเรือคายัควันละสิบสองยูโร ชำระที่เคาน์เตอร์ " * 20
    assert 3 <= len(split(text)) <= 20


@given(st.text("ab .!?。\n#-`|>123", max_size=120), st.booleans())
def test_sentences_are_in_order_and_do_not_overlap(text: str, markup: bool) -> None:
    end = 0
    for span in sentences(text, markup=markup):
        assert end <= span.start < span.end <= len(text)
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        end = span.end


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("The kayak's fee: 12 EUR", ["the", "kayak's", "fee", "eur"]),
        ("Set-Top-Boxen and API_KEY", ["set-top-boxen", "and", "api_key"]),
        ("东京的人口是多少", ["东京", "人口", "多少"]),
        ("カヤックの料金", ["カヤック", "料金"]),
        ("帐篷 uses OpenAPI", ["帐篷", "uses", "openapi"]),
        ("12 34", []),
    ],
)
def test_terms(text: str, keys: list[str]) -> None:
    assert [term.key for term in terms(text)] == keys


@given(st.text(max_size=80))
def test_terms_stand_where_they_say(text: str) -> None:
    end = 0
    for term in terms(text):
        assert end <= term.start < term.end <= len(text)
        end = term.end


def run(of: Corpus, wanted: int, seed: int = 0) -> list[Outcome]:
    chunks = chunk_corpus(of)
    prose = Prose(of.documents, Salience(chunks))
    found: list[Outcome] = []

    def take(outcome: Outcome) -> bool:
        found.append(outcome)
        return isinstance(outcome, Draft)

    delivered = extract(spread(chunks, seed), prose, wanted, take)
    assert delivered == sum(isinstance(one, Draft) for one in found)
    return found


def drafts(of: Corpus, wanted: int, seed: int = 0) -> list[Draft]:
    return [one for one in run(of, wanted, seed) if isinstance(one, Draft)]


TEXTS = {
    "fee.md": f"# Prices\n\n{FEE}",
    "tent.md": f"# Tents\n\n{TENT}",
    "hut.md": f"# Raven Peak\n\n{HUT}",
}


class TestQuestions:
    def test_the_evidence_is_a_sentence_of_the_document(self) -> None:
        found = drafts(corpus(TEXTS), 6)
        assert len(found) >= 3
        for draft in found:
            (source,) = draft.sources
            assert source.quote in TEXTS[source.chunk.document_id]
            assert source.quote[-1] in ".!?"
            assert draft.answer is None
            assert draft.language == "en"

    def test_no_other_document_holds_all_the_terms(self) -> None:
        for draft in drafts(corpus(TEXTS), 6):
            own = draft.sources[0].chunk.document_id
            words = fold(draft.question.partition(": ")[2] or draft.question).split(", ")
            for name, text in TEXTS.items():
                holds = all(word in fold(text) for word in words)
                assert holds is (name == own), (draft.question, name)

    def test_the_question_is_shorter_than_the_sentence_and_no_copy_of_it(self) -> None:
        for draft in drafts(corpus(TEXTS), 6):
            assert draft.sources[0].quote not in draft.question

    def test_a_heading_that_asks_is_the_question(self) -> None:
        text = (
            "# Help\n\n## How do I bring back a tent after hours?\n\n"
            "Put it into the drop locker behind the boat house and close the lid."
        )
        questions = [one.question for one in drafts(corpus({**TEXTS, "help.md": text}), 8)]
        assert "How do I bring back a tent after hours?" in questions

    def test_copies_are_ambiguous(self) -> None:
        texts = {"a.md": FEE, "b.md": FEE}
        found = run(corpus(texts), 2)
        assert not any(isinstance(one, Draft) for one in found)
        assert {one.reason for one in found if isinstance(one, Discarded)} == {Discard.AMBIGUOUS}

    def test_code_and_tables_are_not_asked_about(self) -> None:
        code = "```\nfee = compute(kayak, days=12, price='12 euros a day').\nmore.of_it(1)\n```\n"
        table = "| thing | price |\n| --- | --- |\n| kayak of the valley | 12 euros a day. |\n"
        table += "| tent of the valley | 9 euros a day. |\n"
        found = run(corpus({"a.md": code, "b.md": table}), 2)
        reasons = {one.reason for one in found if isinstance(one, Discarded)}
        assert reasons == {Discard.NOT_SALIENT}
        source = Corpus((Document("a.py", f'"""{FEE}"""\n', "code"),))
        assert drafts(source, 1) == []

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            (
                "Die Gebühr für ein Kajak aus Flensburg ist nicht im Preis des Zeltes enthalten.",
                "de",
            ),
            ("拉克菲尔合作社的帐篷租借期限为十四天，逾期每天加收五欧元的费用。", "zh"),
            ("カヤックの料金は一日十二ユーロで、ハルフォード受付で現金で支払います。", "ja"),
            ("ค่าเช่าเรือคายัควันละสิบสองยูโร ชำระที่เคาน์เตอร์ ใกล้สะพานใหญ่ ก่อนออกเดินทางทุกครั้ง.", "th"),
            ("Плата за прокат байдарки «Касатка» составляет двенадцать евро в день.", "ru"),
            ("تبلغ رسوم استئجار القارب من الميناء القديم اثني عشر يورو في اليوم.", "ar"),
            ("이것은 카약 대여 요금에 관한 문장이며 하루에 십이 유로를 현금으로 냅니다.", "ko"),
        ],
    )
    def test_any_language(self, text: str, language: str) -> None:
        found = drafts(corpus({**TEXTS, "other.md": text}), 9)
        (draft,) = [one for one in found if one.chunk.document_id == "other.md"]
        assert draft.language in (language, None)  # a sentence can leave doubt
        assert draft.sources[0].quote in text
        assert "," in draft.question

    @given(st.dictionaries(st.sampled_from("abc"), st.text(max_size=300), min_size=1))
    def test_any_corpus_gives_questions_or_reasons(self, texts: dict[str, str]) -> None:
        for one in run(corpus(texts), 5):
            if isinstance(one, Draft):
                assert one.question.strip()
                assert one.sources[0].quote in texts[one.sources[0].chunk.document_id]
