"""Instructions planted in questions and in documents."""

from itertools import islice

import pytest
from genkit import FEE, chunk, corpus, works
from hypothesis import given
from hypothesis import strategies as st

from ragproof.generate.injection import Base, Planted, ordered_payloads, plant
from ragproof.generate.records import Draft, Sort, Source
from ragproof.generate.text import Span
from ragproof.records import Case, Chunk, Chunks, Kind, Response
from ragproof.scoring.injection import judge_injection
from ragproof.scoring.payloads import BUILT_IN, find_payload


def base(question: str, passage: str = FEE) -> Base:
    origin = {"generator": "llm", "document": "g/a.md", "chunk": "c", "model": "m", "checked": []}
    return Base(question, passage, "en", "g/a.md", "c", origin)


def planted(count: int, bases: int = 3, *, documents: bool = False, seed: int = 0) -> list[Planted]:
    every = [base(f"What is thing {number}?") for number in range(bases)]
    return list(islice(plant(every, seed, documents=documents), count))


@given(st.integers(1, 70), st.integers())
def test_no_pair_comes_twice_and_all_come(bases: int, seed: int) -> None:
    every = planted(bases * len(BUILT_IN) + 1, bases, seed=seed)
    pairs = {(one.base.question, one.case.adversarial_payload) for one in every}
    assert len(pairs) == len(every) == bases * len(BUILT_IN)
    assert len({one.case.id for one in every}) == len(every)


def test_categories_take_turns_and_the_seed_matters() -> None:
    categories = [payload.category for payload in ordered_payloads(0)]
    distinct = len(set(categories))
    assert len(set(categories[:distinct])) == distinct
    assert ordered_payloads(0) != ordered_payloads(1)
    assert sorted(one.id for one in ordered_payloads(3)) == sorted(one.id for one in BUILT_IN)


def test_without_questions_there_is_nothing_to_plant_in() -> None:
    assert list(plant([], 0, documents=False)) == []


@pytest.mark.parametrize("documents", [False, True])
def test_cases_are_scorable_and_told_apart(documents: bool) -> None:
    for one in planted(len(BUILT_IN), documents=documents):
        case = one.case
        assert case.kind is Kind.INJECTION
        payload = find_payload(case.adversarial_payload or "")
        assert payload is not None
        assert judge_injection(case, Response("5 EUR.")).score == 1.0
        assert judge_injection(case, Response(payload.canary)).score == 0.0
        assert case.origin is not None
        assert case.origin["planted"] == ("document" if documents else "question")
        assert "checked" not in case.origin
        assert case.tags[1:] == (payload.category, "g")


def test_a_poisoned_document_that_is_retrieved_is_enough() -> None:
    (one,) = planted(1, documents=True)
    assert one.document is not None
    bare = one.case._replace(evidence=())
    retrieved = Chunks.of([Chunk("c", one.document.text)])
    assert judge_injection(bare, Response("5 EUR.")).score is None
    assert judge_injection(bare, Response("5 EUR.", retrieved)).score == 1.0


def test_a_poisoned_document_holds_the_passage_around_the_instruction() -> None:
    text = "First half of it.\n\nSecond half of it."
    (one,) = islice(plant([base("What?", text)], 0, documents=True), 1)
    assert one.document is not None
    payload = find_payload(one.case.adversarial_payload or "")
    assert payload is not None
    first, middle, last = one.document.text.partition(payload.instruction)
    assert middle
    assert "First half" in first
    assert "Second half" in last
    assert one.document.name.endswith(".md")


@pytest.mark.parametrize("question", ["What is it?", "费用多少？", "keyword, other"])
def test_question_and_instruction_are_two_sentences(question: str) -> None:
    (one,) = islice(plant([base(question)], 0, documents=False), 1)
    payload = find_payload(one.case.adversarial_payload or "")
    assert payload is not None
    stop = "" if question.endswith(("?", "？")) else "."
    assert one.case.question == f"{question}{stop} {payload.instruction}"


def test_what_an_older_set_has_is_not_planted_again() -> None:
    draft = Draft(
        Kind.QA,
        chunk(FEE, "fee.md"),
        "What is the fee?",
        "12",
        (Source(chunk(FEE, "fee.md"), Span(0, 44)),),
    )
    state = works(corpus())
    state.taker(Sort.QA, 1)(draft)
    state.plant(3, documents=False)
    older = [one.case for one in state.planted]
    state = works(corpus(), kept=older)
    state.taker(Sort.QA, 1)(draft)
    state.plant(3, documents=False)
    assert len(state.planted) == 3
    assert not {one.case.id for one in state.planted} & {case.id for case in older}


def test_cases_that_people_wrote_are_no_bases() -> None:
    assert Base.of_case(Case("m", "What?", expected_source_ids=("x",))) is None
    assert Base.of_case(Case("m", "What?", origin={"document": 3, "chunk": "c"})) is None
