"""Cases whose source changed, and those whose source only moved."""

import asyncio
from typing import Any

import pytest
from genkit import FEE, HUT, TENT, Model, asker, corpus, works

from ragproof.generate.origin import Origin
from ragproof.generate.run import Wanted, generate
from ragproof.generate.stale import State, examine
from ragproof.generate.update import plan_update
from ragproof.records import Case, Kind

TEXTS = {"fee.md": FEE, "tent.md": TENT, "hut.md": HUT}
LONG = "\n\n".join(
    f"Paragraph {n} tells of stone {n * 31} in the wall of the old harbour." for n in range(60)
)


def made(texts: dict[str, str], wanted: Wanted) -> list[Case]:
    state = works(corpus(texts))
    asyncio.run(generate(state, asker(Model()), wanted))
    state.plant(wanted.injection, documents=False)
    return state.cases()


def states(cases: list[Case], texts: dict[str, str]) -> list[State]:
    return [finding.state for finding in examine(cases, corpus(texts))]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return made(TEXTS, Wanted(qa=3, unanswerable=2, injection=3))


def of(cases: list[Case], document: str, kind: Kind = Kind.QA) -> Case:
    return next(c for c in cases if c.kind is kind and (c.origin or {})["document"] == document)


def test_nothing_changed(cases: list[Case]) -> None:
    assert set(states(cases, TEXTS)) == {State.SAME}


def test_other_documents_have_no_say_in_questions_with_an_answer(cases: list[Case]) -> None:
    answered = [case for case in cases if case.kind is not Kind.UNANSWERABLE]
    assert set(states(answered, {**TEXTS, "new.md": LONG})) == {State.SAME}


def test_changed_and_vanished(cases: list[Case]) -> None:
    texts = {**TEXTS, "fee.md": FEE.replace("12", "14")}
    del texts["hut.md"]
    assert states([of(cases, "fee.md"), of(cases, "hut.md"), of(cases, "tent.md")], texts) == [
        State.CHANGED,
        State.VANISHED,
        State.SAME,
    ]
    assert states([of(cases, "fee.md", Kind.INJECTION)], texts) == [State.CHANGED]


def test_text_before_and_behind_a_passage_may_change() -> None:
    """Also where chunks begin at other places then."""
    cases = made({"a.md": LONG}, Wanted(qa=4))
    assert len(cases) == 4
    for text in (f"Something new.\n\n{LONG}", f"{LONG}\n\nSomething new.", LONG[66 * 3 :]):
        assert states(cases, {"a.md": text}).count(State.SAME) >= 3
    assert State.CHANGED in states(cases, {"a.md": LONG.replace("stone", "brick")})


def test_an_unanswerable_question_is_compared_again_with_what_is_new(cases: list[Case]) -> None:
    (one, *_) = [case for case in cases if case.kind is Kind.UNANSWERABLE]
    answer = f"{one.question.removesuffix('?')}: it was Ada Lovelace."
    (finding,) = examine([one], corpus({**TEXTS, "new.md": answer}))
    assert finding.state is State.COMPARE
    assert finding.document == "new.md"
    assert finding.stale


@pytest.mark.parametrize(
    "origin",
    [
        None,
        {},
        {"generator": "me"},
        {"document": "a.md"},
        {"document": "a.md", "document_hash": 3, "chunk_hash": "x"},
        {"document": "", "document_hash": "x", "chunk_hash": "x"},
    ],
)
def test_cases_that_people_wrote_are_unknown(origin: dict[str, Any] | None) -> None:
    case = Case("m", "What?", expected_source_ids=("a.md",), origin=origin)
    (finding,) = examine([case], corpus(TEXTS))
    assert finding.state is State.UNKNOWN
    assert not finding.stale


@pytest.mark.parametrize(
    "edit",
    [
        {"chunking": "1200"},
        {"chunking": [0, 9]},
        {"chunking": [10, 9]},
        {"chunk_size": -1},
        {"quote_at": "x"},
        {"more": "x"},
        {"more": [1, {}]},
        {"checked": 7},
    ],
)
def test_origins_that_were_edited_are_read_as_far_as_they_go(
    cases: list[Case], edit: dict[str, Any]
) -> None:
    case = of(cases, "fee.md")
    edited = case._replace(origin={**(case.origin or {}), **edit})
    assert states([edited], TEXTS) == [State.SAME]
    assert Origin.read(edited.origin) is not None
    assert states([edited], {"fee.md": "x " * 50}) == [State.CHANGED]


def test_an_update_keeps_drops_and_wants(cases: list[Case]) -> None:
    texts = {**TEXTS, "fee.md": FEE.replace("12", "14")}
    hand = Case("m", "What?", expected_source_ids=("a.md",))
    update = plan_update([*cases, hand], corpus(texts))
    assert hand in update.kept
    assert update.first[0] == "fee.md"
    dropped = [finding.case for finding in update.dropped]
    assert dropped == [case for case in cases if case not in update.kept]
    wanted = update.wanted(None)
    assert wanted.qa == 1
    assert sum(wanted) == len(update.dropped)
    assert update.wanted(Wanted(qa=10)) == Wanted(qa=10 - 3)
    assert update.wanted(Wanted(qa=1)) == Wanted()
