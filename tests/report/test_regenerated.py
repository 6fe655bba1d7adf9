"""What is said about a dataset that was made anew: complete where there is room, never too long."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.dataset.diff import diff_datasets
from ragproof.records import Case, Kind
from ragproof.report.parts import Regenerated
from ragproof.report.regenerated import (
    build_regenerated,
    difference,
    fit_regenerated,
    missing,
)
from ragproof.report.render import render_regenerated

LEDGER: dict[str, Any] = {
    "generator": "llm",
    "model": "openai/m",
    "seed": 3,
    "documents": 12,
    "chunking": [1200, 150],
    "skipped": [{"id": "a.png", "reason": "an image"}],
    "usage": {"calls": 1234, "cached": 2, "tokens_in": 5000, "tokens_out": 70, "cost": 0.25},
    "cases": {
        "qa": {
            "requested": 4,
            "delivered": 2,
            "kept": 1,
            "discarded": {"the quote is not in the passage": 3},
            "failed": {"timed out": 1},
            "candidates": [],
        }
    },
}


def case(name: str, question: str = "How much is it?") -> Case:
    return Case(id=name, kind=Kind.QA, question=question, expected_answer="x")


def view(
    old: Sequence[Case], new: Sequence[Case], ledger: dict[str, Any] = LEDGER, texts: bool = True
) -> Regenerated:
    return build_regenerated(
        ledger,
        old,
        new,
        diff_datasets(old, new),
        dataset="set.json",
        dataset_hash="f" * 64,
        texts=texts,
        facts={"Corpus of": "docs", "Commit": ""},
        whole="`set.ledger.json`",
    )


def size(text: str) -> int:
    return len(text.encode())


def test_all_of_it() -> None:
    old = [case("a"), case("b"), case("c")]
    text = render_regenerated(view(old, [case("b"), case("c", "Why?"), case("d")]))
    assert text.startswith(
        f"1 added, 1 removed, 1 changed, 1 the same. `set.json`: 3 cases, hash `{'f' * 64}`\n"
    )
    assert "| `qa` | 4 | 2 | 1 | 3 | 1 |" in text
    assert "| `qa` | 3 | discarded | `the quote is not in the passage` |" in text
    assert "| `qa` | 1 | failed | `timed out` |" in text
    assert "**2 of 4 cases are missing:**" in text
    for title, line in (
        ("Removed", "- `a` (`qa`): `How much is it?`"),
        ("Changed", "- `c` (`qa`): `Why?`"),
        ("Added", "- `d` (`qa`): `How much is it?`"),
    ):
        assert re.search(rf"#### {title}.*\n\n{re.escape(line)}\n", text), text
    for line in ("| Model | `openai/m` |", "| Calls | `1,234, 2 from the cache` |", "| Cost | "):
        assert line in text
    assert "| Corpus of | `docs` |" in text
    assert "Commit" not in text
    assert text.endswith("</details>\n")


def test_nothing_changed() -> None:
    text = render_regenerated(view([case("a")], [case("a")], {}))
    assert text.startswith("0 added, 0 removed, 1 the same.")
    assert "What changed" not in text
    assert "missing" not in text


def test_ids_only() -> None:
    text = render_regenerated(view([], [case("a")], texts=False))
    assert "- `a` (`qa`)\n" in text
    assert "How much" not in text


def test_another_order_is_a_change() -> None:
    one, two = case("a"), case("b")
    assert difference(diff_datasets([one, two], [two, one])).endswith("in another order")


def test_what_is_missing() -> None:
    assert missing(LEDGER) == {"qa": 2}
    assert missing({}) == {}
    stopped = render_regenerated(view([], [case("a")], {**LEDGER, "stopped": "budget"}))
    assert "the run ended early" in stopped


@pytest.mark.parametrize("limit", [1_000_000, 65_000, 20_000, 3_000])
def test_it_fits(limit: int) -> None:
    old = [case(f"old-{number}", "x" * 250) for number in range(400)]
    new = [case(f"new-{number}", "y" * 250) for number in range(400)]
    text = fit_regenerated(view(old, new), limit, size)
    assert size(text) <= limit
    shown = len(re.findall(r"^- `(?:old|new)-", text, re.MULTILINE))
    left = re.search(r"^([\d,]+) cases that differ are left out here: see `set", text, re.M)
    assert shown + (int(left[1].replace(",", "")) if left else 0) == 800
    assert (left is None) == (limit == 1_000_000)
    assert "| `qa` | 4 | 2 | 1 | 3 | 1 |" in text


@given(st.text(), st.text())
def test_texts_do_not_break_out(name: str, question: str) -> None:
    ledger = {**LEDGER, "model": question, "cases": {name: LEDGER["cases"]["qa"]}}
    made = [case(f"x{name}", question), case("plain", f"{question} | </details> @octocat")]
    text = render_regenerated(view([], made, ledger))
    assert text.count("\n- `") == 2
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "octocat" not in outside
    assert outside.count("<details") == outside.count("</details>")
