"""What a report shows of a run, in which order, and how its numbers read."""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.report.numbers import count, number, threshold, unit
from ragproof.report.parts import Sample
from ragproof.report.untrusted import Untrusted, reveal
from ragproof.report.view import build_view

Make = Callable[..., dict[str, Any]]


def texts(sample: Sample) -> list[str]:
    return [reveal(text) for text in sample.shown]


def reveal_or_none(text: Untrusted | None) -> str | None:
    return None if text is None else reveal(text)


@pytest.mark.parametrize(
    ("value", "bounds", "exact", "expected"),
    [
        (0.9312, (0.8,), False, "0.9312"),
        (0.5, (), False, "0.5000"),
        (0.79996, (0.8,), True, "0.79996"),
        (0.7999999999, (0.8,), True, "0.7999999999"),
        (0.8 - 2**-53, (0.8,), True, "0.7999999999999999"),
        (0.8 - 2**-53, (0.8,), False, "0.8000"),
        (0.1 + 0.2, (0.3,), False, "0.3000"),
        (0.80001, (0.8,), False, "0.80001"),
        (2.00004, (2.0,), True, "2.00004"),
        (0.99999, (), False, "0.99999"),
        (0.00001, (), False, "0.00001"),
        (1e-30, (), True, "1e-30"),
        (1, (), False, "1.0000"),
        (0, (), False, "0.0000"),
    ],
)
def test_number(value: float, bounds: tuple[float, ...], exact: bool, expected: str) -> None:
    assert number(value, *bounds, exact=exact) == expected


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_value_that_misses_its_threshold_looks_like_it(value: float, bound: float) -> None:
    shown = float(number(value, bound, exact=True))
    assert (shown < bound, shown > bound) == (value < bound, value > bound)


def test_words_around_numbers() -> None:
    assert threshold(0.8, None) == "≥ 0.8"
    assert threshold(None, 2.0) == "≤ 2"
    assert threshold(0.25, 0.75) == "≥ 0.25 and ≤ 0.75"
    assert unit("latency.p95[tag=billing]") == " s"
    assert unit("retrieval.recall@10") == unit("unheard.of") == ""
    assert count(1, "case") == "1 case"
    assert count(12_345, "case") == "12,345 cases"


def test_rows_are_coverage_then_thresholds_then_the_other_metrics(head: Make) -> None:
    view = build_view(head(), [])
    rows = [*view.gated, *view.measured]
    assert [(reveal(row.name), row.value, row.threshold, row.n, row.outcome) for row in rows] == [
        ("coverage", "1.0000", "≥ 0.95", "", "pass"),
        ("retrieval.recall@10", "0.9312", "≥ 0.8", "42 of 42", "pass"),
        ("retrieval.mrr", "0.8712", "", "42 of 42", ""),
        ("latency.p95", "1.2500 s", "", "60 of 60", ""),
    ]


def test_a_missed_threshold_never_displays_as_met(head: Make) -> None:
    run = head()
    run["gate"]["thresholds"][0] |= {"value": 0.7999999999, "outcome": "fail"}
    row = build_view(run, []).gated[1]
    assert (row.value, row.threshold, row.outcome) == ("0.7999999999", "≥ 0.8", "fail")
    run["gate"]["thresholds"][0]["outcome"] = "pass"
    assert build_view(run, []).gated[1].value == "0.8000"


@pytest.mark.parametrize(
    ("verdict", "reasons", "gate", "expected"),
    [
        ("fail", ["worst", "second"], {}, ("❌", "ragproof failed", "worst")),
        (
            "error",
            ["the endpoint is down"],
            {},
            ("⚠️", "ragproof could not judge", "the endpoint is down"),
        ),
        ("pass", [], {}, ("✅", "ragproof passed", "1 of 1 thresholds hold, 60 of 60 cases pass")),
        (
            "ungated",
            [],
            None,
            ("⚠️", "ragproof gated nothing", "no gate was asked for, 60 of 60 cases pass"),
        ),
    ],
)
def test_headline(
    head: Make, verdict: str, reasons: list[str], gate: Any, expected: tuple[str, str, str]
) -> None:
    headline = build_view(head(verdict=verdict, reasons=reasons, gate=gate), []).headline
    assert (headline.symbol, headline.words, reveal(headline.reason)) == expected
    assert texts(headline.others) == reasons[1:]


def test_the_worst_cases_come_first(head: Make, case: Make, failing: Make) -> None:
    run = head(
        gate={"required": [{"case": name, "outcome": "fail"} for name in ("r1", "r2", "r3")]}
    )
    two = ["retrieval.hit@10 is 0, at least 1 is needed", "another reason"]
    view = build_view(
        run,
        [
            case(id="passes"),
            failing(id="one-a"),
            failing(id="one-b"),
            failing(id="two", reasons=two),
            failing(id="known", known_failure=True, reasons=two * 3),
            case(id="down", outcome="error", failure={"kind": "cut", "message": "", "excerpt": ""}),
            case(id="unscored", outcome="unscored", unscored={"retrieval": "no ids"}),
            case(id="r1", outcome="unscored", unscored={"retrieval": "no ids"}),
            case(
                id="r2", outcome="error", failure={"kind": "cut", "message": "cut", "excerpt": ""}
            ),
            failing(id="r3"),
        ],
    )
    ids = [reveal(failed.id) for failed in view.failing]
    assert ids == ["r3", "r2", "r1", "two", "one-a", "one-b"]
    assert [failed.required for failed in view.failing] == [True] * 3 + [False] * 3
    assert texts(view.failing[1].reasons) == ["cut: cut"]
    assert texts(view.failing[2].reasons) == ["retrieval: no ids"]
    assert view.failing_left == 0


@pytest.mark.parametrize(
    ("max_cases", "shown"), [(0, []), (1, ["3"]), (2, ["3", "1"]), (9, ["3", "1", "2"])]
)
def test_at_most_so_many_cases(head: Make, failing: Make, max_cases: int, shown: list[str]) -> None:
    cases = [failing(id="1"), failing(id="2"), failing(id="3", reasons=["a", "b"])]
    view = build_view(head(), cases, max_cases=max_cases)
    assert [reveal(failed.id) for failed in view.failing] == shown
    assert view.failing_left == 3 - len(shown)
    assert build_view(head(), cases).limited_to(max_cases) == view
    assert build_view(head(), cases, max_cases=2).limited_to(0).failing_left == 3


def test_texts_are_cut(head: Make, failing: Make) -> None:
    long = "x" * 1_000
    failure = {"kind": "shape", "message": long, "excerpt": long}
    case = failing(
        id=long, question=long, answer=long, expected=[long], retrieved=[long], tags=[long]
    )
    view = build_view(head(), [case, failing(id="e", outcome="error", failure=failure)])
    shown = view.failing[0]
    assert shown.question is not None
    assert shown.answer is not None
    assert shown.retrieved is not None
    assert reveal(shown.id) == "x" * 120 + "… (+880 characters)"
    assert reveal(shown.question) == "x" * 300 + "… (+700 characters)"
    assert reveal(shown.answer) == "x" * 500 + "… (+500 characters)"
    assert reveal(shown.retrieved.chunks[0].id) == texts(shown.expected)[0] == reveal(shown.id)
    assert reveal_or_none(view.errors[0].excerpt) == reveal(shown.answer)


def test_white_space_is_not_what_is_kept(head: Make, failing: Make) -> None:
    shown = build_view(head(), [failing(question=" " * 400 + "why?", answer=" \n")]).failing[0]
    assert reveal_or_none(shown.question) == "why?"
    assert reveal_or_none(shown.answer) == ""


def test_retrieved(head: Make, failing: Make) -> None:
    ids = [None, *(f"d{n}" for n in range(2, 31))]
    shown = build_view(head(), [failing(retrieved=ids, ranks=[3, 11, 29])]).failing[0].retrieved
    assert shown is not None
    assert [reveal(chunk.id) for chunk in shown.chunks] == [
        "(no id)",
        *(f"d{n}" for n in range(2, 11)),
    ]
    assert [rank for rank, chunk in enumerate(shown.chunks, 1) if chunk.expected] == [3]
    assert (shown.left, shown.found_below) == (20, "11, 29")


def test_what_was_not_asked_for_is_not_shown(head: Make, failing: Make) -> None:
    case = failing(retrieved=None, ranks=None, answer=None, expected_answer=None)
    shown = build_view(head(), [case]).failing[0]
    assert shown.retrieved is shown.answer is shown.expected_answer is None


def test_errors_are_grouped_by_kind_with_the_first_that_was_heard(head: Make, case: Make) -> None:
    def error(name: str, kind: str, excerpt: str) -> dict[str, Any]:
        failure = {"kind": kind, "message": f"{name} {kind}", "excerpt": excerpt}
        return case(id=name, outcome="error", failure=failure)

    cases = [error("t", "timeout", ""), error("s0", "status", "")]
    cases += [error(f"s{n}", "status", f"busy {n}") for n in range(1, 8)]
    cases += [case(id="odd", outcome="error")]
    groups = build_view(head(), cases).errors
    assert [(reveal(group.kind), group.cases) for group in groups] == [
        ("status", "8 cases"),
        ("timeout", "1 case"),
        ("unknown", "1 case"),
    ]
    assert reveal_or_none(groups[0].message) == "s0 status"
    assert reveal_or_none(groups[0].excerpt) == "busy 1"
    assert texts(groups[0].ids) == ["s0", "s1", "s2", "s3", "s4"]
    assert groups[0].ids.left == 3
    assert groups[1].excerpt is groups[2].message is None


def test_unscored_are_grouped_by_reason(head: Make, case: Make) -> None:
    cases = [
        case(id="a", unscored={"retrieval.hit@1": "no gold", "retrieval.mrr": "no gold"}),
        case(id="b", unscored={"answer.token_f1": "no answer", "retrieval.mrr": "no gold"}),
    ]
    groups = build_view(head(), cases).unscored
    assert [
        (reveal(group.reason), group.cases, texts(group.ids), texts(group.metrics))
        for group in groups
    ] == [
        ("no gold", "2 cases", ["a", "b"], ["retrieval.hit@1", "retrieval.mrr"]),
        ("no answer", "1 case", ["b"], ["answer.token_f1"]),
    ]


def test_reasons_without_end_end_in_one_group(head: Make, case: Make) -> None:
    cases = (case(id=str(n), unscored={"retrieval.mrr": f"reason {n}"}) for n in range(1_000))
    groups = build_view(head(), cases).unscored
    assert len(groups) == 21
    assert (reveal(groups[-1].reason), groups[-1].cases) == ("other reasons", "980 cases")


def test_known_failures(head: Make) -> None:
    known = {"failing": [f"old-{n}" for n in range(25)], "passing": ["fixed"]}
    view = build_view(head(gate={"allow_failing": known}), [])
    assert (len(view.still_failing.shown), view.still_failing.left) == (20, 5)
    assert texts(view.now_passing) == ["fixed"]


def test_incomplete_and_selected(head: Make) -> None:
    run = head(complete=False, counts={"pass": 3, "error": 9}, dataset={"selected": 12})
    view = build_view(run, [])
    assert [note.label for note in view.notes] == ["Incomplete run:"]
    assert view.notes[0].words.startswith("3 of 12 cases answered.")
    assert view.summary == "12 cases (12 of 60 selected): 3 pass, 0 fail, 9 errors"


def test_a_gate_without_thresholds_speaks_of_cases(head: Make) -> None:
    view = build_view(head(gate={"thresholds": []}), [])
    assert reveal(view.headline.reason) == "60 of 60 cases pass"


def test_facts_leave_out_what_is_not_there(head: Make) -> None:
    run = head(
        endpoint=None, dataset={"hash": None, "frozen": False}, responses={"duration_s": None}
    )
    view = build_view(run, [])
    facts = {fact.label: reveal(fact.value) for fact in view.facts}
    assert facts["Dataset"] == "evals/dataset.frozen.json (not frozen)"
    assert not {"Dataset hash", "Endpoint", "Duration", "Selected", "Limit"} & set(facts)
    assert not view.frozen


def test_memory_does_not_grow_with_the_cases(head: Make, failing: Make) -> None:
    def cases(many: int) -> Iterator[dict[str, Any]]:
        for n in range(many):
            failure = {"kind": f"kind {n}", "message": "m" * 100, "excerpt": "e" * 500}
            unscored = {f"metric {n}": f"reason {n}"}
            case = failing(id=f"case {n}", question="q" * 500, failure=failure, unscored=unscored)
            yield case | {"outcome": "error" if n % 2 else "fail"}

    def peak(many: int) -> int:
        tracemalloc.start()
        try:
            build_view(head(), cases(many))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(4_000) < 1.2 * peak(400)
