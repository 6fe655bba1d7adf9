"""The Markdown report: what it says, and that no text of others gets into it unescaped."""

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.exceptions import SecurityError, UndefinedError

from ragproof.report.render import compile_template, render_markdown
from ragproof.report.untrusted import UnescapedError, Untrusted, reveal
from ragproof.report.view import build_view

Make = Callable[..., dict[str, Any]]
Golden = Callable[[str, str], None]


def report(head: dict[str, Any], *cases: dict[str, Any], **options: Any) -> str:
    return render_markdown(build_view(head, cases, **options))


FAILED_THRESHOLD = {
    "metric": "retrieval.recall@10[tag=billing]",
    "min": 0.8,
    "max": None,
    "value": 0.79999,
    "scored": 40,
    "of": 42,
    "outcome": "fail",
}


def test_pass(head: Make, case: Make, golden: Golden) -> None:
    golden("pass.md", report(head(), case()))


def test_fail(head: Make, failing: Make, case: Make, golden: Golden) -> None:
    gate = {
        "thresholds": [
            FAILED_THRESHOLD,
            {
                "metric": "latency.p95",
                "min": None,
                "max": 2.0,
                "value": 1.25,
                "scored": 57,
                "of": 60,
                "outcome": "pass",
            },
        ],
        "required": [{"case": "refund-1", "outcome": "fail"}],
        "allow_failing": {"failing": ["old-1"], "passing": ["old-2"]},
    }
    text = report(
        head(
            verdict="fail",
            exit_code=1,
            reasons=[
                "retrieval.recall@10[tag=billing] is 0.79999, at least 0.8 is needed",
                "case refund-1 is required and fails",
            ],
            counts={"pass": 50, "fail": 6, "unscored": 1, "error": 3},
            dataset={"path": "evals/dataset.jsonl", "hash": None, "frozen": False},
            select="kind=qa",
            gate=gate,
        ),
        case(),
        failing(id="late-1", ranks=[12], retrieved=[f"faq.md#{n}" for n in range(1, 21)]),
        failing(id="nothing-1", retrieved=[], tags=["billing", "de"], line=None),
        failing(
            id="refund-1",
            retrieved=["shipping.md#2", "returns.md#1", "returns.md#2"],
            ranks=[2],
            reasons=["retrieval.precision@1 is 0, at least 1 is needed", "the answer refuses"],
        ),
        failing(id="old-1", known_failure=True),
        *(
            case(
                id=f"down-{n}",
                outcome="error",
                retrieved=None,
                ranks=None,
                answer=None,
                failure={
                    "kind": "status",
                    "message": "HTTP 503 Service Unavailable",
                    "excerpt": "<html>\n  <body>busy</body>\n</html>",
                },
            )
            for n in range(7)
        ),
        case(
            id="odd-1",
            outcome="unscored",
            unscored={"retrieval": "the response names no chunk ids"},
        ),
    )
    golden("fail.md", text)


def test_error(head: Make, case: Make, golden: Golden) -> None:
    down = {"outcome": "error", "retrieved": None, "ranks": None, "answer": None}
    failure = {"kind": "refused", "message": "connection refused", "excerpt": ""}
    run = head(
        verdict="error",
        exit_code=2,
        reasons=["coverage is 0, at least 0.95 is needed"],
        counts={"pass": 0, "error": 60},
        metrics=[
            {
                "name": "retrieval.recall@10",
                "value": None,
                "scored": 0,
                "of": 42,
                "unscored": {},
                "errors": 42,
            }
        ],
    )
    run["gate"]["coverage"] = {"value": 0.0, "min": 0.95, "outcome": "error"}
    run["gate"]["thresholds"][0] |= {"value": None, "scored": 0, "outcome": "error"}
    golden("error.md", report(run, *(case(id=f"qa-{n}", **down, failure=failure) for n in (1, 2))))


def test_ungated(head: Make, case: Make, failing: Make, golden: Golden) -> None:
    run = head(
        verdict="ungated", gate=None, counts={"pass": 1, "fail": 1}, select="id=qa-1,id=qa-2"
    )
    run["dataset"]["selected"] = 2
    golden("ungated.md", report(run, case(), failing(id="qa-2")))


def test_incomplete(head: Make, case: Make, golden: Golden) -> None:
    run = head(
        complete=False,
        verdict="error",
        exit_code=2,
        reasons=["the run is incomplete: 1 of 60 cases were answered"],
        counts={"pass": 1, "error": 59},
    )
    failure = {"kind": "not_asked", "message": "cancelled", "excerpt": ""}
    missing = {"outcome": "error", "retrieved": None, "ranks": None, "answer": None}
    others = (case(id=f"qa-{n}", failure=failure, **missing) for n in range(2, 61))
    golden("incomplete.md", report(run, case(), *others))


def test_chinese(head: Make, failing: Make, golden: Golden) -> None:
    text = report(
        head(
            verdict="fail",
            exit_code=1,
            reasons=["用例 退货政策 未通过：检索结果中没有正确来源。"],
            counts={"pass": 59, "fail": 1},
        ),
        failing(
            id="退货-01",
            language="zh",
            tags=["退货"],
            question="购买的商品可以在多少天内退货？" + "请详细说明。" * 60,
            expected=["帮助中心/退货.md#1"],
            expected_answer="三十天内。",
            retrieved=["帮助中心/运费.md#2", "帮助中心/退货.md#1"],
            ranks=[2],
            answer="七天内可以退货。",
        ),
    )
    golden("chinese.md", text)


HOSTILE = (
    "@everyone #1 GH-2 deadbeef1 https://evil.example www.evil.example a@b.example "
    "![x](https://evil.example/p.png) <img src=x> </details> <!-- ragproof --> | a | b |\n"
    "```\n# heading\n~~~\n`` ` \x1b[2J\u202eabc\u200b\ud800 $x$ :rocket: {{ 7 * 7 }} {% raw %}"
)


def hostile_run(head: Make, failing: Make, text: str) -> tuple[dict[str, Any], list[Any]]:
    """A run with the same text wherever there is a text."""
    run = head(
        verdict="fail",
        reasons=[text, text],
        ragproof=text,
        select=text,
        endpoint=text,
        dataset={"path": text, "hash": text, "frozen": False},
        responses={"file": text, "sha256": text},
        settings={text: text, "case_pass": {text: text}},
        counts={"fail": 1, "error": 1},
        metrics=[{"name": text + "!", "value": 0.5, "scored": 1, "of": 2, "unscored": {text: 1}}],
        gate={
            "thresholds": [FAILED_THRESHOLD | {"metric": text}],
            "required": [{"case": text, "outcome": "fail"}],
            "allow_failing": {"failing": [text], "passing": [text]},
        },
    )
    case = {
        "id": text,
        "kind": text,
        "tags": [text],
        "language": text,
        "question": text,
        "reasons": [text, text],
        "scores": {text: 0.0},
        "unscored": {text: text},
        "expected": [text],
        "expected_answer": text,
        "retrieved": [text, text],
        "ranks": [2],
        "answer": text,
        "failure": {"kind": text, "message": text, "excerpt": text},
    }
    return run, [failing(**case), failing(**case | {"outcome": "error"})]


def test_hostile(head: Make, failing: Make, golden: Golden) -> None:
    run, cases = hostile_run(head, failing, HOSTILE)
    golden("hostile.md", report(run, *cases))


@given(text=st.lists(st.sampled_from(HOSTILE.split(" ")) | st.text(max_size=5), min_size=1))
@settings(max_examples=30, deadline=None)
def test_no_text_changes_the_layout(
    page: Callable[[str], Any], head: Make, failing: Make, text: list[str]
) -> None:
    """Wherever a text stands in a run, it makes no element and no reference of its own."""
    harmless = page(report(*_flat(hostile_run(head, failing, "x"))))
    result = page(report(*_flat(hostile_run(head, failing, " ".join(text) + "\n"))))
    assert result.blocks == harmless.blocks
    assert result.links == []
    assert result.references == []


def _flat(run: tuple[dict[str, Any], list[Any]]) -> list[Any]:
    return [run[0], *run[1]]


def test_a_hostile_report_cannot_be_taken_for_our_comment(head: Make, failing: Make) -> None:
    text = report(*_flat(hostile_run(head, failing, HOSTILE)))
    assert "<!--" not in text
    assert text.count("</details>\n") == 2
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ud800-\udfff]", text
    )


@pytest.mark.parametrize(
    "template",
    [
        "{{ x }}",
        "{{ x ~ '' }}",
        "{{ '%s' % x }}",
        "{{ '%s' | format(x) }}",
        "{{ [x] | join }}",
        "{{ [x, x] | join(', ') }}",
        "{{ x | string }}",
        "{{ x | safe }}",
        "{{ x | e }}",
        "{{ x | upper }}",
        "{{ x | replace('a', 'b') }}",
        "{{ x | trim }}",
        "{{ x | tojson }}",
        "{{ x | urlize }}",
        "{% for letter in x %}{{ letter }}{% endfor %}",
        "{{ x | list }}",
        "{{ x._text }}",
        "{{ x | attr('_text') }}",
        "{{ '{0._text}'.format(x) }}",
        "{{ '{}'.format(x) }}",
        "{{ '{!r:>9}'.format(x) ~ x }}",
    ],
)
def test_a_template_that_forgets_a_filter_does_not_render(template: str) -> None:
    with pytest.raises((UnescapedError, UndefinedError, SecurityError, TypeError)):
        compile_template(template).render(x=Untrusted("secret words"))


@pytest.mark.parametrize("template", ["{{ [x] }}", "{{ {x: x} }}", "{{ '{!r}'.format(x) }}"])
def test_no_representation_shows_the_text(template: str) -> None:
    assert "secret" not in compile_template(template).render(x=Untrusted("secret words"))


@pytest.mark.parametrize("name", ["code", "span", "fence", "plain"])
def test_filters_take_texts_of_others(name: str) -> None:
    rendered = compile_template("{{ x | " + name + " }}").render(x=Untrusted("#1"))
    assert "`" in rendered
    assert "#1" in rendered


def test_templates_are_sandboxed() -> None:
    with pytest.raises(SecurityError):
        compile_template("{{ ''.__class__.__mro__ }}").render()
    with pytest.raises(UndefinedError):
        compile_template("{{ missing }}").render()


def test_untrusted_texts_compare_by_what_they_say() -> None:
    assert Untrusted("a") == Untrusted("a") != Untrusted("b")
    assert len({Untrusted("a"), Untrusted("a")}) == 1
    assert reveal(Untrusted("a")) == "a"


def test_ids_only(head: Make, failing: Make) -> None:
    failure = {"kind": "status", "message": "said secret", "excerpt": "quoted secret"}
    text = report(
        head(gate={"required": [{"case": "id-2", "outcome": "error"}]}),
        failing(id="id-1", question="secret?", answer="secret!", expected_answer="secret."),
        failing(id="id-2", outcome="error", failure=failure, question="secret?"),
        texts=False,
    )
    assert "secret" not in text
    assert "id-1" in text
    assert "shipping.md#2" in text
    assert "status" in text


def test_what_is_shown_without_cases_is_bounded(head: Make, failing: Make) -> None:
    long = "\u202e" * 20_000
    run, cases = hostile_run(head, failing, long)
    others = (
        failing(**cases[1] | {"id": f"{n}{long}", "unscored": {"m": f"{n}"}}) for n in range(99)
    )
    assert len(report(run, *others, max_cases=0)) < 200_000


def test_importing_the_report_does_not_import_jinja2() -> None:
    modules = "sys, ragproof.report.render, ragproof.report.junit, ragproof.report.view"
    statement = f"import {modules}; assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", statement], check=True)
