"""What is seen to be wrong with a question without a model; every reason is reached."""

import pytest
from genkit import FEE, TENT, chunk

from ragproof.generate.checks import Unfit, check_answer, check_question
from ragproof.generate.language import detect_language, is_other_language
from ragproof.generate.records import Discard
from ragproof.generate.references import names_passage
from ragproof.generate.replies import Written

QUOTE = "The rental fee of a kayak is 12 euros a day."
QUESTION = "What does it cost to rent a kayak?"


def refused(answer: str, *quotes: str, question: str = QUESTION) -> Discard | None:
    """Why a question on the first text is discarded."""
    try:
        check_answer(Written(question, answer, quotes), [chunk(FEE)])
    except Unfit as unfit:
        return unfit.reason
    return None


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("12 euros a day", QUOTE),
        ("12 euros", f"“{QUOTE}”"),
        ("12 euros", "The rental  fee of a\nkayak is 12 euros a day"),
        ("at the counter", "It is paid at the counter in the boat house."),
        ("euros 12", QUOTE),
        ("12", "fee of a kayak is 12 euros"),
    ],
)
def test_what_is_supported_is_taken(answer: str, quote: str) -> None:
    assert refused(answer, quote) is None


@pytest.mark.parametrize(
    ("answer", "quotes", "reason"),
    [
        ("12 euros", ("The fee is twelve euros.",), Discard.QUOTE),
        ("12 euros", (QUOTE, "It is paid by card."), Discard.QUOTE),
        ("12 euros", ("12 euros",), Discard.QUOTE_SHORT),
        ("12 euros", ("...",), Discard.QUOTE),
        ("15 euros", (QUOTE,), Discard.UNSUPPORTED),
        ("the warden of the hut", (QUOTE,), Discard.UNSUPPORTED),
        ("yes", (QUOTE,), Discard.UNSUPPORTED),
        ("a kayak", (QUOTE,), Discard.GIVEN_AWAY),
        ("", (QUOTE,), Discard.SHAPE),
        ("12 euros", (), Discard.SHAPE),
    ],
)
def test_what_is_not(answer: str, quotes: tuple[str, ...], reason: Discard) -> None:
    assert refused(answer, *quotes) is reason


def test_two_chunks_take_a_quote_each() -> None:
    chunks = [chunk(FEE), chunk(TENT, "b.md")]
    written = Written(
        "What do they cost and weigh?", "12 euros, eleven kilograms", (QUOTE, TENT[:57])
    )
    assert [source.chunk.document_id for source in check_answer(written, chunks)] == [
        "a.md",
        "b.md",
    ]
    with pytest.raises(Unfit) as caught:
        check_answer(written._replace(quotes=(QUOTE,)), chunks)
    assert caught.value.reason is Discard.SHAPE


@pytest.mark.parametrize(
    ("question", "language", "reason"),
    [
        (QUESTION, "en", None),
        (QUESTION, None, None),
        ("Why?", "en", Discard.TOO_SHORT),
        ("什么？", "zh", Discard.TOO_SHORT),
        ("费用多少？", "zh", None),
        ("What does the passage say about fees?", "en", Discard.NAMES_PASSAGE),
        (
            "Was kostet es, wenn man ein Boot für einen Tag mietet und nicht zahlt?",
            "en",
            Discard.LANGUAGE,
        ),
        ("这个费用是多少欧元？", "en", Discard.LANGUAGE),
        ("What is the fee of the boat?", "zh", Discard.LANGUAGE),
        ("Kayak-Preis?  Boot, Tag", "de", None),
    ],
)
def test_questions(question: str, language: str | None, reason: Discard | None) -> None:
    found = None
    try:
        check_question(question, language)
    except Unfit as unfit:
        found = unfit.reason
    assert found is reason


@pytest.mark.parametrize(
    "question",
    [
        "According to the text, who is the warden?",
        "What is the main topic of this document?",
        "Which fee is mentioned in the article?",
        "What does the author recommend?" + " in the given context",
        "Who is named in passage 2?",
        "What does this sentence answer?",
        "What does the quote say?",
        "Wie hoch ist die Gebühr laut dem Text?",
        "Wer wird in diesem Abschnitt genannt?",
        "Quel est le tarif selon le texte ?",
        "¿Cuál es la tarifa según el texto?",
        "Qual é a tarifa segundo o texto?",
        "Qual è la tariffa secondo il testo?",
        "Wat is volgens de tekst het tarief?",
        "Jaka jest opłata według tekstu?",
        "Какова плата согласно тексту?",
        "根据文章，费用是多少？",
        "本文的主题是什么？",
        "この文章によると料金はいくらですか",
        "이 글에 따르면 요금은 얼마입니까?",
        "ตามข้อความ ค่าเช่าเท่าไร",
    ],
)
def test_questions_that_name_their_passage(question: str) -> None:
    assert names_passage(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the document stored after an upload?",
        "Which section of the river is closed in May?",
        "How is the context window of the model set?",
        "What is a text message charged with?",
        "Who is the author of the novel Kim?",
        "Which strait connects the two seas?",
        "Wie wird ein Dokument gespeichert?",
        "Wer schrieb den Artikel über Relativität von 1905?",
        "¿Qué documento hace falta para alquilar?",
        "文档存储在哪里？",
    ],
)
def test_questions_about_texts_do_not(question: str) -> None:
    assert names_passage(question) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (FEE, "en"),
        (
            "Die Gebühr für ein Kajak ist nicht im Preis des Zeltes enthalten und wird bezahlt.",
            "de",
        ),
        ("Le prix de la tente est payé au comptoir et les clients sont dans la maison.", "fr"),
        ("El precio de la tienda se paga en la casa del barco y los clientes son de allí.", "es"),
        ("Плата за прокат не входит в цену, и это оплачивается на месте.", "ru"),
        ("帐篷的租借期限为十四天。", "zh"),
        ("料金は一日十二ユーロです。", "ja"),
        ("요금은 하루 십이 유로입니다.", "ko"),
        ("ค่าเช่าวันละสิบสองยูโร", "th"),
        ("kayak tent hut", None),
        ("12 34 56", None),
        ("", None),
    ],
)
def test_languages(text: str, language: str | None) -> None:
    assert detect_language(text) == language


def test_names_in_another_language_are_no_other_language() -> None:
    assert not is_other_language("Was ist „The Mask of Anarchy“?", "de")
    assert is_other_language("What is the mask that was worn by him?", "de")
