"""Reports of the size that there is room for."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.report.parts import Note, Problem, Sample, View
from ragproof.report.render import fit, render_markdown, render_problem
from ragproof.report.untrusted import Untrusted
from ragproof.report.view import Context, build_view

Make = Callable[..., dict[str, Any]]
WHOLE = "the [job summary](https://github.example/o/r/actions/runs/1)"
ROOM = 65_000
HOSTILE = "@everyone #1 | a `` ` </details> <!-- x --> \u202e" * 9


@pytest.fixture(scope="session")
def view(head: Make, failing: Make, case: Make) -> View:
    """Forty failing cases, and something in every section."""
    run = head(
        verdict="fail",
        reasons=["retrieval.recall@10 is 0.5, at least 0.8 is needed"],
        counts={"pass": 19, "fail": 40, "error": 1},
        gate={"allow_failing": {"failing": ["known-1"], "passing": []}},
    )
    down = case(
        id="down",
        outcome="error",
        failure={"kind": "status", "message": "HTTP 500", "excerpt": "busy"},
    )
    odd = case(id="odd", unscored={"retrieval.mrr": "no ids"})
    cases = [failing(id=f"case-{number}") for number in range(40)]
    return build_view(run, [*cases, down, odd], context=Context(whole=WHOLE))


def test_all_of_it_where_there_is_room(view: View) -> None:
    text = fit(view, 10**6)
    assert text == render_markdown(view)
    assert text.count("#### `case-") == 40
    assert "37 more failing cases" in text  # unfolded on demand
    assert "left out" not in text


def test_fewer_cases_where_there_is_less(view: View) -> None:
    whole = len(render_markdown(view))
    text = fit(view, whole - 1)
    assert text.count("#### `case-") == 20
    assert f"20 failing cases are left out here: see {WHOLE}." in text
    assert "#### `case-0`" in text, "the worst stay"


def test_what_only_helps_goes_before_the_verdict(view: View) -> None:
    brief = render_markdown(view.brief())
    text = fit(view, len(brief))
    assert text == brief
    assert f"40 failing cases are left out here: see {WHOLE}." in text
    left = re.search(r"Left out here for want of room: (.*)\. See ", text)
    assert left is not None
    assert left[1].split(", ") == [
        "thresholds that hold",
        "metrics without a threshold",
        "what the endpoint said",
        "what was not scored",
        "known failures",
        "the settings",
    ]


def test_the_verdict_is_always_there(view: View) -> None:
    text = fit(view, 0)
    assert text.splitlines() == [
        "## ❌ ragproof failed: `retrieval.recall@10` is 0.5, at least 0.8 is needed",
        "",
        "60 cases: 19 pass, 40 fail, 1 error.",
        "",
        f"There is no room for more here: see {WHOLE}.",
    ]


@given(limit=st.integers(1_000, 40_000))
@settings(max_examples=60, deadline=None)
def test_no_larger_than_asked_and_never_silent(view: View, limit: int) -> None:
    text = fit(view, limit, size=lambda text: len(text.encode()))
    assert len(text.encode()) <= limit
    assert text.startswith("## ❌ ragproof failed")
    assert ("here: see " in text) == (text != render_markdown(view))


def test_a_comment_has_room_for_the_worst_that_can_come(head: Make, failing: Make) -> None:
    long = "\u202e`|<" * 20_000
    cases = [
        failing(
            id=f"{number}{long}",
            tags=[long] * 9,
            reasons=[long] * 20,
            unscored={f"{number}{long}": f"{number}{long}"},
            expected=[long] * 20,
            retrieved=[long] * 20,
            question=long,
            answer=long,
            outcome="error" if number % 2 else "fail",
            failure={"kind": f"{number}{long}", "message": long, "excerpt": long},
        )
        for number in range(60)
    ]
    run = head(verdict="fail", reasons=[long] * 20, select=long, endpoint=long)
    run["gate"]["thresholds"] = [
        {**run["gate"]["thresholds"][0], "metric": long, "outcome": "fail"}
    ] * 500
    names = Sample(tuple(Untrusted(long[:100]) for _ in range(5)), 9)
    context = Context((Note("Changed:", "the dataset", names),), {"Commit": long}, WHOLE)
    view = build_view(run, cases, context=context)
    text = fit(view, ROOM)
    assert len(text) <= ROOM
    assert text.startswith("## ❌ ragproof failed")
    assert f"see {WHOLE}." in text
    assert len(fit(view, 0)) < 10_000


def test_notes_stand_before_the_numbers(head: Make, case: Make, page: Callable[[str], Any]) -> None:
    names = Sample((Untrusted(HOSTILE), Untrusted("b")), 3)
    notes = (Note("The dataset changed", "in this pull request: 5 cases changed:", names),)
    text = render_markdown(build_view(head(), [case()], context=Context(notes)))
    assert text.index("The dataset changed") < text.index("60 cases: ")
    assert "`b`, 3 more" in text
    rendered = page(text)
    assert rendered.references == []
    assert rendered.elements.count("blockquote") == 1


def test_facts_of_the_publisher_are_escaped(
    head: Make, case: Make, page: Callable[[str], Any]
) -> None:
    context = Context(facts={"Commit": HOSTILE})
    rendered = page(render_markdown(build_view(head(), [case()], context=context)))
    assert rendered.references == []


def test_a_problem_says_what_to_do(page: Callable[[str], Any]) -> None:
    hint = Untrusted("ask @everyone")
    problem = Problem(
        "⚠️", "ragproof could not run", Untrusted(f"a.yml:1: {HOSTILE}\n```\n# x"), hint
    )
    text = render_problem(problem)
    assert text.startswith("## ⚠️ ragproof could not run\n")
    rendered = page(text)
    assert rendered.references == []
    assert rendered.elements.count("h1") == 0
    assert "What to do:" in text
    assert "What to do" not in render_problem(problem._replace(hint=None))
