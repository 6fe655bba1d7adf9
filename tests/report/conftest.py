"""Runs to report on, made from defaults, and golden files.

``UPDATE_GOLDEN=1`` writes the golden files anew; otherwise a difference fails.
"""

import importlib.util
import os
import re
from collections.abc import Callable
from copy import deepcopy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

Made = dict[str, Any]
Make = Callable[..., Made]

GOLDEN = Path(__file__).with_name("golden")

_SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

_HEAD: Made = {
    "schema": "ragproof.run/1",
    "ragproof": "0.1.0",
    "complete": True,
    "verdict": "pass",
    "exit_code": 0,
    "reasons": [],
    "dataset": {
        "path": "evals/dataset.frozen.json",
        "hash": _SHA,
        "frozen": True,
        "cases": 60,
        "selected": 60,
    },
    "select": None,
    "limit": None,
    "endpoint": "http://127.0.0.1:8000",
    "responses": {"file": "responses.jsonl", "sha256": _SHA[::-1], "duration_s": 12.34},
    "settings": {
        "k": [1, 5, 10],
        "source_match": "chunk",
        "case_pass": {"qa": {"retrieval.hit@10": {"min": 1.0}}},
    },
    "counts": {"pass": 60, "fail": 0, "unscored": 0, "error": 0},
    "metrics": [
        {
            "name": "retrieval.recall@10",
            "value": 0.9312,
            "scored": 42,
            "of": 42,
            "unscored": {},
            "errors": 0,
        },
        {
            "name": "retrieval.mrr",
            "value": 0.87125,
            "scored": 42,
            "of": 42,
            "unscored": {},
            "errors": 0,
        },
        {
            "name": "latency.p95",
            "value": 1.25,
            "scored": 60,
            "of": 60,
            "unscored": {},
            "errors": 0,
        },
    ],
    "gate": {
        "coverage": {"value": 1.0, "min": 0.95, "outcome": "pass"},
        "thresholds": [
            {
                "metric": "retrieval.recall@10",
                "min": 0.8,
                "max": None,
                "value": 0.9312,
                "scored": 42,
                "of": 42,
                "outcome": "pass",
            },
        ],
        "required": [],
        "allow_failing": {"failing": [], "passing": []},
    },
}

_CASE: Made = {
    "id": "qa-1",
    "kind": "qa",
    "tags": [],
    "language": None,
    "line": 12,
    "question": "How long do I have to return an item?",
    "outcome": "pass",
    "reasons": [],
    "scores": {"retrieval.hit@10": 1.0},
    "unscored": {},
    "expected": ["returns.md#1"],
    "expected_answer": "30 days",
    "retrieved": ["shipping.md#2", "returns.md#1"],
    "ranks": [2],
    "answer": "You have 30 days.",
    "latency_s": 0.0123,
    "attempts": 1,
}


@pytest.fixture(scope="session")
def head() -> Make:
    """A factory of run heads: ``head(verdict="fail", counts={"fail": 2})`` merges mappings."""
    return lambda **changes: _merge(deepcopy(_HEAD), changes)


@pytest.fixture(scope="session")
def case() -> Make:
    """A factory of cases, as :func:`head`."""
    return lambda **changes: _merge(deepcopy(_CASE), changes)


@pytest.fixture(scope="session")
def failing(case: Make) -> Make:
    """A factory of cases of which nothing relevant was retrieved."""

    def make(**changes: Any) -> Made:
        defaults = {
            "outcome": "fail",
            "reasons": ["retrieval.hit@10 is 0, at least 1 is needed"],
            "retrieved": ["shipping.md#2", "privacy.md#4"],
            "ranks": [],
            "answer": "I could not find that.",
        }
        return case(**(defaults | changes))

    return make


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Compare a text with ``golden/<name>``."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN") == "1":
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path} is missing: run the tests with UPDATE_GOLDEN=1"
        assert text == path.read_text(encoding="utf-8")

    return compare


class Page(HTMLParser):
    """A rendered text: its elements in order, what is code, and the words that are not."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.links: list[str] = []
        self.code: list[str] = []
        self.words: list[str] = []
        self._inside = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag == "code":
            self._inside = True
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(f"/{tag}")
        if tag == "code":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.code[-1] += data
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.elements.append("comment")

    @property
    def blocks(self) -> list[str]:
        """The elements without inline code, whose number depends on the words."""
        return [tag for tag in self.elements if tag.strip("/") != "code"]

    @property
    def references(self) -> list[str]:
        """What GitHub would turn into a link, a mention, a picture or a formula."""
        return [found for text in self.words for found in _REFERENCE.findall(text)]


# Mentions, issues, commits, addresses, short codes of pictures, formulas, markup.
_REFERENCE = re.compile(
    r"@\w|#\d|\bGH-\d|\b[0-9a-f]{7,40}\b|www\.|://|\S@\S|:[a-z0-9_+-]+:|\$|[<>`|\\]|\]\(",
    re.IGNORECASE,
)


def _markdown_it() -> Callable[[str], str]:
    from markdown_it import MarkdownIt

    if importlib.util.find_spec("linkify_it"):
        return MarkdownIt("gfm-like").render
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render


def _cmark_gfm() -> Callable[[str], str]:
    cmarkgfm = pytest.importorskip("cmarkgfm")
    options = cmarkgfm.Options.CMARK_OPT_UNSAFE
    return lambda text: cmarkgfm.github_flavored_markdown_to_html(text, options)


@pytest.fixture(scope="session", params=[_markdown_it, _cmark_gfm])
def page(request: pytest.FixtureRequest) -> Callable[[str], Page]:
    """Render Markdown as GitHub does, twice over: with two parsers of its dialect."""
    render = request.param()
    return lambda text: Page(render(text))


def _merge(base: Made, changes: Made) -> Made:
    for key, value in changes.items():
        inner = base.get(key)
        if isinstance(inner, dict) and isinstance(value, dict) and key != "unscored":
            _merge(inner, value)
        else:
            base[key] = value
    return base
