"""Questions written by a model: checked, confirmed, replaced, accounted for."""

import asyncio
import json
import re
from typing import Any

import pytest
from genkit import FEE, HUT, TENT, Model, asker, corpus, passages_of, question_on, works

from ragproof.generate.qa import MULTI
from ragproof.generate.records import Discard, Sort
from ragproof.generate.run import Wanted, generate
from ragproof.generate.works import GenerationError, Works
from ragproof.llm.adapt import adapt
from ragproof.llm.errors import BudgetError, CompletionError, FatalModelError, Reason
from ragproof.records import Evidence, Kind

FEE_QUESTION = {
    "question": "What does it cost to rent a kayak for one day?",
    "answer": "12 euros",
    "quote": "The rental fee of a kayak is 12 euros a day.",
}


def made(model: Any, wanted: Wanted, state: Works | None = None) -> Works:
    """The state after a generation on the default corpus."""
    state = state or works()
    state.ledger.requested = wanted.counts()
    asyncio.run(generate(state, asker(model), wanted))
    return state


def on_fee(**changes: Any) -> Any:
    """Replies of a model that writes a question on the fee, and nothing on other passages."""

    def question(prompt: str) -> Any:
        if "kayak" not in passages_of(prompt)[0]:
            return {"questions": []}
        return {"questions": [{**FEE_QUESTION, **changes}]}

    return question


def reasons(state: Works, sort: Sort = Sort.QA) -> dict[str, int]:
    return dict(state.ledger.discarded(sort))


class TestAnswerable:
    def test_a_case_says_where_it_comes_from(self) -> None:
        model = Model(question=on_fee())
        state = made(model, Wanted(qa=1))
        (case,) = state.cases()
        assert case.id.startswith("qa-")
        assert (case.kind, case.question, case.expected_answer) == (
            Kind.QA,
            FEE_QUESTION["question"],
            "12 euros",
        )
        assert case.expected_source_ids == ("fee.md",)
        assert case.evidence == (Evidence(FEE_QUESTION["quote"], "fee.md"),)
        assert case.language == "en"
        document = corpus().documents[0]
        assert case.origin == {
            "generator": "llm",
            "model": "test/model",
            "document": "fee.md",
            "document_hash": document.hash[:16],
            "chunk": state.chunks[0].id,
            "chunk_hash": state.chunks[0].hash[:16],
            "chunk_size": len(FEE),
            "quote_at": 0,
            "prompts": state.maker.prompts,
            "seed": 0,
            "chunking": [1200, 150],
        }

    @pytest.mark.parametrize("answer", ["12 euros", "12 euros a day", "It costs 12 euros.", "12"])
    def test_an_answer_that_agrees_needs_no_comparison(self, answer: str) -> None:
        solve = {"answerable": True, "answer": answer}
        model = Model(question=on_fee(), solve=solve, check=ValueError("never asked"))
        assert len(made(model, Wanted(qa=1)).cases()) == 1
        assert model.count("check") == 0

    def test_the_solution_is_found_without_the_answer(self) -> None:
        model = Model(question=on_fee(answer="12 euros a day"))
        made(model, Wanted(qa=1))
        (solve,) = [one for one in model.prompts if one.startswith("Answer a quiz")]
        assert passages_of(solve) == [FEE]
        assert "12 euros a day" not in solve.replace(FEE, "")

    def test_the_check_sees_the_chunk_alone(self) -> None:
        model = Model(question=on_fee())
        made(model, Wanted(qa=1))
        (check,) = [one for one in model.prompts if one.startswith("Somebody")]
        assert passages_of(check) == [FEE]
        (elsewhere,) = [one for one in model.prompts if one.startswith("A question has")]
        assert FEE not in passages_of(elsewhere)

    @pytest.mark.parametrize(
        ("replies", "reason"),
        [
            ({"question": "no JSON at all"}, Discard.NOT_JSON),
            ({"question": '{"questions": [{"question": "Wh'}, Discard.CUT),
            ({"question": {"text": "hello"}}, Discard.SHAPE),
            ({"question": {"questions": []}}, Discard.NOTHING),
            ({"question": on_fee(question="Why?")}, Discard.TOO_SHORT),
            (
                {"question": on_fee(question="What fee does the passage name?")},
                Discard.NAMES_PASSAGE,
            ),
            ({"question": on_fee(question="这艘船每天的租金是多少？")}, Discard.LANGUAGE),
            ({"question": on_fee(quote="The fee is 12 euros a week.")}, Discard.QUOTE),
            ({"question": on_fee(quote="12 euros")}, Discard.QUOTE_SHORT),
            ({"question": on_fee(answer="13 euros")}, Discard.UNSUPPORTED),
            ({"question": on_fee(answer="a kayak")}, Discard.GIVEN_AWAY),
            ({"question": on_fee(answer=None)}, Discard.SHAPE),
            ({"solve": "I think so."}, Discard.NOT_JSON),
            ({"solve": {"verdict": "ok"}}, Discard.UNCLEAR),
            ({"solve": {"answerable": False, "answer": None}}, Discard.NOT_ANSWERABLE),
            ({"solve": {"answerable": True, "answer": None}}, Discard.NOT_ANSWERABLE),
            ({"solve": {"answerable": True, "answer": "the boat house"}}, Discard.WRONG),
            ({"solve": {"answerable": True, "answer": "13 euros"}}, Discard.WRONG),
            ({"check": "I think so."}, Discard.NOT_JSON),
            ({"check": {"verdict": "ok"}}, Discard.UNCLEAR),
            ({"check": {"answerable": True}}, Discard.UNCLEAR),
            ({"check": {"answerable": False}}, Discard.NOT_ANSWERABLE),
            ({"check": {"answerable": True, "answer": "9", "correct": False}}, Discard.WRONG),
            ({"elsewhere": {"passage": "all"}}, Discard.UNCLEAR),
            (
                {
                    "elsewhere": {
                        "answers": [{"passage": 1, "quote": "free", "verdict": "different"}]
                    }
                },
                Discard.UNCLEAR,
            ),
        ],
    )
    def test_every_reason_is_reached(self, replies: dict[str, Any], reason: Discard) -> None:
        state = made(Model(**{"question": on_fee(), **replies}), Wanted(qa=1))
        assert state.cases() == []
        assert reason.value in reasons(state)
        assert set(reasons(state)) <= {reason.value, Discard.NOTHING.value}

    def test_answered_differently_elsewhere(self) -> None:
        other = "In the year before, the rental fee of a kayak was 9 euros a day."
        texts = {"fee.md": FEE, "old.md": other}

        def elsewhere(prompt: str) -> Any:
            at = passages_of(prompt).index(other) + 1
            return {"answers": [{"passage": at, "quote": "was 9 euros", "verdict": "different"}]}

        model = Model(question=lambda p: {"questions": [FEE_QUESTION]}, elsewhere=elsewhere)
        state = made(model, Wanted(qa=1), works(corpus(texts)))
        assert Discard.ELSEWHERE.value in reasons(state)
        (entry,) = [
            one for one in state.ledger.entries(Sort.QA) if one.reason == Discard.ELSEWHERE
        ][:1]
        assert entry.detail == "old.md: was 9 euros"

    def test_the_same_answer_elsewhere_is_evidence_too(self) -> None:
        texts = {"fee.md": FEE, "list.md": "Price list of boats. Kayak: 12 euros a day, canoe: 20."}

        def elsewhere(prompt: str) -> Any:
            return [{"passage": 1, "quote": "Kayak: 12 euros a day", "verdict": "same"}]

        state = made(
            Model(question=on_fee(), elsewhere=elsewhere), Wanted(qa=1), works(corpus(texts))
        )
        (case,) = state.cases()
        assert case.expected_source_ids == ("fee.md", "list.md")
        assert case.evidence[1] == Evidence("Kayak: 12 euros a day", "list.md")
        assert case.origin is not None
        assert [place["document"] for place in case.origin["more"]] == ["list.md"]

    def test_a_copy_of_the_passage_is_a_source_as_well_and_is_not_asked_about(self) -> None:
        texts = {"fee.md": FEE, "copy/fee.md": f"Copied. {FEE}"}
        model = Model(question=on_fee())
        state = made(model, Wanted(qa=1), works(corpus(texts)))
        (case,) = state.cases()
        assert set(case.expected_source_ids) == {"fee.md", "copy/fee.md"}
        assert model.count("elsewhere") == 0

    def test_duplicates_are_replaced(self) -> None:
        same = {**FEE_QUESTION}
        texts = {"a.md": f"{FEE} One.", "b.md": f"{FEE} Two.", "c.md": TENT}

        def question(prompt: str) -> Any:
            passage = passages_of(prompt)[0]
            if "kayak" not in passage:
                return {"questions": [question_on(passage)]}
            suffix = "" if "One" in passage else " please"
            return {"questions": [{**same, "question": same["question"] + suffix}]}

        state = made(Model(question=question), Wanted(qa=2), works(corpus(texts), seed=3))
        assert len(state.cases()) == 2
        assert sum(reasons(state).values()) <= 1
        exact = made(Model(question=on_fee()), Wanted(qa=2), works(corpus(texts)))
        assert len(exact.cases()) == 1
        assert Discard.DUPLICATE.value in reasons(exact)

    def test_near_duplicates(self) -> None:
        texts = {"a.md": f"{FEE} One.", "b.md": f"{FEE} Two."}

        def question(prompt: str) -> Any:
            suffix = "" if "One" in passages_of(prompt)[0] else " please"
            return {
                "questions": [
                    {
                        **FEE_QUESTION,
                        "question": f"What does it cost to rent a kayak for one day{suffix}?",
                    }
                ]
            }

        state = made(Model(question=question), Wanted(qa=2), works(corpus(texts)))
        assert len(state.cases()) == 1
        assert Discard.NEAR_DUPLICATE.value in reasons(state)

    def test_a_small_corpus_is_asked_again_about_other_things(self) -> None:
        sentences = [
            f"The {thing} of the harbour costs exactly {number} euros a day."
            for number, thing in enumerate(
                ["crane", "ferry", "ladder", "buoy", "sauna", "kiosk"], 20
            )
        ]
        calls: list[list[str]] = []

        def question(prompt: str) -> Any:
            shown = " ".join(re.findall(r"<asked-\w+>\n(.*?)\n</asked", prompt))
            known = [one for one in sentences if one.split()[1] in shown]
            left = [one for one in sentences if one not in known][:2]
            calls.append(left)
            return [
                {
                    "question": f"How much does the {one.split()[1]} cost a day?",
                    "answer": one.split("exactly ")[1].split(" a")[0],
                    "quote": one,
                }
                for one in left
            ]

        state = made(
            Model(question=question), Wanted(qa=5), works(corpus({"a.md": " ".join(sentences)}))
        )
        assert len(calls) == 3
        assert len(state.cases()) == 5
        assert reasons(state) == {Discard.SURPLUS.value: 1} or not reasons(state)

    def test_no_more_than_asked_for(self) -> None:
        model = Model(question=lambda p: {"questions": [question_on(passages_of(p)[0])] * 9})
        state = made(model, Wanted(qa=1))
        assert len(state.cases()) == 1
        assert model.count("check") == 1

    def test_the_first_that_is_fit_is_taken_of_several(self) -> None:
        items = [
            {**FEE_QUESTION, "quote": "made up"},
            FEE_QUESTION,
            {**FEE_QUESTION, "question": "How much is it to rent a kayak?"},
        ]
        model = Model(question=lambda p: {"questions": items} if "kayak" in p else [])
        state = made(model, Wanted(qa=1), works(corpus({"fee.md": FEE})))
        (case,) = state.cases()
        assert case.question == FEE_QUESTION["question"]
        assert reasons(state) == {Discard.QUOTE.value: 1, Discard.SURPLUS.value: 1}
        assert model.count("check") == 1


class TestSeveralDocuments:
    def test_a_question_on_two(self) -> None:
        texts = {
            "a.md": FEE,
            "b.md": f"Kayaks and rental. {HUT} The fee of a kayak is for the hut.",
        }
        state = made(Model(), Wanted(multi=1), works(corpus(texts)))
        (case,) = state.cases()
        assert set(case.expected_source_ids) == {"a.md", "b.md"}
        assert {item.source_id for item in case.evidence} == {"a.md", "b.md"}
        assert MULTI in case.tags
        assert case.origin is not None
        assert len(case.origin["more"]) == 1

    def test_one_that_needs_only_one(self) -> None:
        check = {"answerable": True, "answer": "x", "correct": True, "needed": False}
        state = made(Model(check=check), Wanted(multi=1))
        assert set(reasons(state, Sort.MULTI)) == {Discard.ONE_IS_ENOUGH.value}

    def test_a_single_document_has_no_partner(self) -> None:
        model = Model()
        state = made(model, Wanted(multi=2), works(corpus({"a.md": FEE})))
        assert state.cases() == []
        assert model.prompts == []


class TestUnanswerable:
    def test_it_is_compared_with_the_chunks_that_come_nearest(self) -> None:
        seen: list[list[str]] = []

        def answerable(prompt: str) -> Any:
            seen.append(passages_of(prompt))
            return {"answered": False}

        question = {
            "questions": [{"question": "Who is the warden of the hut on Raven Peak in winter?"}]
        }
        model = Model(unanswerable=question, answerable=answerable)
        state = made(model, Wanted(unanswerable=1))
        (case,) = state.cases()
        assert case.kind is Kind.UNANSWERABLE
        assert case.expected_answer is None
        assert case.expected_source_ids == ()
        assert HUT in seen[0]
        assert case.origin is not None
        hashes = {one.text: one.hash[:16] for one in state.chunks}
        assert case.origin["checked"] == [hashes[text] for text in seen[0]]

    def test_the_chunk_that_it_was_written_on_is_always_among_them(self) -> None:
        texts = {f"{n}.md": f"{HUT} Number {n} of the copies." for n in range(9)} | {"fee.md": FEE}
        question = {
            "questions": [{"question": "Who is the warden of the hut on Raven Peak in winter?"}]
        }
        seen: list[list[str]] = []

        def answerable(prompt: str) -> Any:
            seen.append(passages_of(prompt))
            return {"answered": False}

        model = Model(
            unanswerable=lambda p: question if "kayak" in p else [], answerable=answerable
        )
        state = made(model, Wanted(unanswerable=1), works(corpus(texts)))
        assert len(state.cases()) == 1
        assert FEE in seen[0]
        assert len(seen[0]) == 5

    @pytest.mark.parametrize(
        ("replies", "reason"),
        [
            ({"answerable": {"answered": True}}, Discard.ANSWERED),
            ({"answerable": {"answered": True, "passage": 1, "quote": "x"}}, Discard.ANSWERED),
            ({"answerable": {"answered": "perhaps"}}, Discard.UNCLEAR),
            ({"answerable": "no idea"}, Discard.NOT_JSON),
            ({"unanswerable": {"questions": []}}, Discard.NOTHING),
            ({"unanswerable": {"x": 1}}, Discard.SHAPE),
            ({"unanswerable": [{"question": "Why?"}]}, Discard.TOO_SHORT),
            (
                {"unanswerable": [{"question": "Who wrote the passage above and when?"}]},
                Discard.NAMES_PASSAGE,
            ),
        ],
    )
    def test_every_reason_is_reached(self, replies: dict[str, Any], reason: Discard) -> None:
        state = made(Model(**replies), Wanted(unanswerable=1))
        assert state.cases() == []
        assert set(reasons(state, Sort.UNANSWERABLE)) == {reason.value}

    def test_what_one_of_all_chunks_answers_is_discarded(self) -> None:
        """The passage it was written on does not answer it, another document does."""

        def unanswerable(prompt: str) -> Any:
            question = "What is the name of the warden of the hut on Raven Peak?"
            return {"questions": [{"question": question}]} if "kayak" in prompt else []

        def answerable(prompt: str) -> Any:
            found = passages_of(prompt)
            assert HUT in found
            at = found.index(HUT) + 1
            return {"answered": True, "passage": at, "quote": "called Ingrid Solberg"}

        model = Model(unanswerable=unanswerable, answerable=answerable)
        state = made(model, Wanted(unanswerable=1))
        (entry,) = [one for one in state.ledger.entries(Sort.UNANSWERABLE) if one.question]
        assert entry.reason == Discard.ANSWERED
        assert entry.detail == "hut.md: called Ingrid Solberg"


class TestFailures:
    def test_calls_that_fail_are_counted_with_their_reason(self) -> None:
        def question(prompt: str) -> Any:
            if "kayak" in passages_of(prompt)[0]:
                return CompletionError(Reason.REFUSED, "it declined")
            return {"questions": [question_on(passages_of(prompt)[0])]}

        state = made(Model(question=question), Wanted(qa=3))
        assert len(state.cases()) == 2
        assert state.ledger.failed(Sort.QA) == {"refused": 3}
        assert state.ledger.missing() == {Sort.QA: 1}
        assert "  3 failed: refused (it declined)" in state.ledger.lines()

    def test_a_wrong_key_is_an_error_at_once(self) -> None:
        model = Model(question=FatalModelError("the key is wrong", "check it"))
        with pytest.raises(FatalModelError, match="the key is wrong"):
            made(model, Wanted(qa=3, unanswerable=3, multi=2))
        assert len(model.prompts) <= 3 * 2 * 8

    def test_where_no_call_succeeds_there_is_an_error(self) -> None:
        texts = {f"{n}.md": f"Paragraph {n}. {FEE}" for n in range(40)}
        model = Model(
            **dict.fromkeys(
                ["question", "unanswerable"], CompletionError(Reason.UNAVAILABLE, "down")
            )
        )
        with pytest.raises(GenerationError, match="the model answered no call") as caught:
            made(model, Wanted(qa=30), works(corpus(texts)))
        assert "unavailable (down)" in caught.value.message
        assert len(model.prompts) < 30

    def test_also_where_the_corpus_is_small(self) -> None:
        model = Model(question=CompletionError(Reason.UNAVAILABLE, "down"))
        with pytest.raises(GenerationError, match="answered no call"):
            made(model, Wanted(qa=1), works(corpus({"a.md": FEE})))

    def test_a_spent_budget_keeps_what_is_there(self) -> None:
        def question(prompt: str) -> Any:
            if "kayak" in passages_of(prompt)[0]:
                return BudgetError("the budget is spent")
            return {"questions": [question_on(passages_of(prompt)[0])]}

        state = works()
        state.ledger.requested = {Sort.QA: 3}
        asyncio.run(generate(state, asker(Model(question=question), 1), Wanted(qa=3)))
        assert state.ledger.stopped == "the budget is spent"
        assert len(state.cases()) <= 2

    def test_nothing_at_all_says_why(self) -> None:
        state = made(Model(question={"questions": []}), Wanted(qa=2))
        with pytest.raises(GenerationError, match="the model found nothing to ask") as caught:
            state.require_something()
        assert caught.value.exit_code == 2

    def test_a_corpus_of_nothing(self) -> None:
        state = made(Model(), Wanted(qa=2), works(corpus({"a.md": "# Title"})))
        with pytest.raises(GenerationError, match="no part of the corpus holds enough text"):
            state.require_something()


def test_every_candidate_is_accounted_for() -> None:
    """Each question that a model wrote is delivered or discarded, once."""
    written: list[str] = []

    def question(prompt: str) -> Any:
        items = [question_on(passages_of(prompt)[0])]
        if "tent" in passages_of(prompt)[0]:
            items[0]["quote"] = "never written"
        written.extend(item["question"] for item in items)
        return {"questions": items}

    state = made(Model(question=question), Wanted(qa=3))
    entries = state.ledger.entries(Sort.QA)
    assert sorted(entry.question for entry in entries) == sorted(written)
    assert {entry.outcome for entry in entries} == {"delivered", "discarded"}
    account = state.ledger.as_dict()["cases"]["qa"]
    assert account["delivered"] + sum(account["discarded"].values()) == len(written)
    json.dumps(state.ledger.as_dict())


def test_the_same_whatever_reply_is_first() -> None:
    texts = {
        f"{n}.md": f"Paragraph {n} of the set. It has {n} words on boats and {n * 7} on tents."
        for n in range(30)
    }

    def run(latency: float, concurrency: int) -> Any:
        state = works(corpus(texts), seed=5)
        model = Model(latency)
        wanted = Wanted(qa=8, unanswerable=4, multi=2)
        asyncio.run(generate(state, asker(model, concurrency), wanted))
        return state.cases(), state.ledger.as_dict(), sorted(model.prompts)

    assert len(run(0, 1)[0]) == 14
    assert run(0, 1) == run(0.002, 16) == run(0.001, 3)


def test_models_of_users_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragproof.llm.adapt._FIRST_WAIT_S", 0.001)
    model = Model(question=on_fee(), check=ValueError("broken"))
    state = works()
    asyncio.run(generate(state, asker(adapt(model)), Wanted(qa=1)))
    assert state.ledger.failed(Sort.QA)["failed"] >= 1
    assert model.count("check") == 3 * state.ledger.failed(Sort.QA)["failed"]
