"""What the fast parser takes, the strict one takes as well, and sees no differently."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.dataset import load
from ragproof.dataset.load import load_dataset
from ragproof.dataset.quick import read_quickly
from ragproof.dataset.schema import CaseProblems, read_case
from ragproof.errors import DatasetError
from ragproof.records import Case
from ragproof.strictjson import StrictJsonError, loads

KEYS = [
    "id",
    "question",
    "expected_source_ids",
    "kind",
    "expected_answer",
    "evidence",
    "tags",
    "language",
    "origin",
    "adversarial_payload",
]
# Written out, so that keys can stand twice and escapes can stand anywhere.
texts = st.sampled_from(
    [
        '"a"',
        '"Who: when?"',
        r'"\":"',
        r'"a\" : b"',
        '" :"',
        '"\t:"',
        r'"\ud83d\ude00"',
        r'"\ud800"',
        '"é\u2028"',
        '"qa"',
        '"injection"',
        '""',
        r'"\u0000"',
    ]
) | st.text(st.characters(exclude_categories=[]), max_size=5).map(json.dumps)
odd = st.sampled_from(
    ["null", "1", "NaN", "1e999", "9" * 25, "true", "[" * 70 + "]" * 70, "{}", "[]", "tru", ""]
)
keys = st.sampled_from([f'"{key}"' for key in KEYS] * 3 + [r'"\u0069d"', '"quote"', '"source_id"'])


def written(members: list[tuple[str, str]], colon: str) -> str:
    return "{" + ",".join(f"{key}{colon}{value}" for key, value in members) + "}"


colons = st.sampled_from([":", ": ", " : ", "\t:", "\r:", "\n: "])
objects = st.builds(written, st.lists(st.tuples(keys, texts | odd), max_size=3), colons)
values = texts | odd | objects
lists = st.lists(texts | objects, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
members = st.lists(st.tuples(keys, values | lists), max_size=7)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A valid case, as a rule, with a few members more; seldom a text of any kind."""
    begin = [('"question"', '"q"'), ('"expected_source_ids"', '["d"]')]
    extra = draw(st.lists(st.tuples(keys, texts | lists | values), max_size=3))
    made = draw(st.permutations(begin + extra) | members)
    text = written(list(made), draw(colons))
    around = st.sampled_from(["", "", "", " ", "\n", "\ufeff", ",", "x", "\u00a0", "{}"])
    return draw(around) + text + draw(around)


def strictly(text: str) -> Case | None:
    try:
        return read_case(loads(text))
    except (StrictJsonError, CaseProblems):
        return None


@given(lines() | st.text(max_size=20))
def test_what_is_taken_is_what_the_strict_parser_makes_of_it(text: str) -> None:
    case = read_quickly(text)
    assert case is None or case == strictly(text)


@pytest.mark.parametrize(
    "more",
    [
        '"id": "a", "id": "a"',
        '"question": "q"',
        r'"id": "a", "\u0069d": "b"',
        '"id": null, "id": null',
        '"evidence": [{"quote": "a", "quote": "a"}]',
        '"evidence": [{"quote": "a"}, {"quote": "a", "source_id": "b", "source_id": null}]',
        '"tags": ["a"], "tags": []',
        *(f'"id"{colon}"a", "id": "b", "kind": "qa"' for colon in (" :", "\t:", "\r:", "\n:")),
        '"origin": {"a": 1, "a": 2}',
        '"origin": {"a": 99999999999999999999}',
        '"origin": {"a": ' + "[" * 70 + "]" * 70 + "}",
    ],
)
def test_what_may_not_stand_is_left_to_the_strict_parser(more: str) -> None:
    text = f'{{"question": "q", "expected_source_ids": ["d"], {more}}}'
    assert read_quickly(text) is None
    assert strictly(text) is None


@pytest.mark.parametrize(
    "more",
    [
        "",
        ', "id": "a"',
        ', "expected_answer": "At 10:30: now"',
        ',\t"id" : "a:b", "evidence": [{"quote": "x: y", "source_id" : "https://x"}]',
        ', "tags": ["a", "b"], "evidence": null, "origin": null',
        r', "expected_answer": "é\ud83d\ude00 \\ \n\" x"',
    ],
)
def test_usual_cases_are_taken(more: str) -> None:
    text = f'{{"question": "q", "expected_source_ids": ["d"]{more}}}'
    case = read_quickly(text)
    assert case is not None
    assert case == strictly(text)


Outcome = tuple[Any, ...]


@given(
    st.lists(lines().map(lambda text: text.replace("\n", " ")), max_size=4),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
)
def test_a_set_loads_or_is_refused_alike(
    file: Path, found: list[str], end: str, frozen: bool
) -> None:
    def outcome() -> Outcome:
        try:
            dataset = load_dataset(file, changed=True)
        except DatasetError as error:
            return type(error), error.message, error.hint
        return dataset.cases, list(dataset.lines), dataset.hash, dataset.changes

    content = end.join(found)
    if frozen:
        meta = f'{{"meta": {{"dataset_hash": "{"0" * 64}"}},{end}"cases": [{end}'
        content = meta + f",{end}".join(found) + f"{end}]}}{end}"
    file.write_bytes(content.encode("utf-8", "replace"))
    quickly = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "read_quickly", lambda _: None)
        assert quickly == outcome()


def test_most_cases_take_the_fast_way(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], raw: Callable[..., Any]
) -> None:
    def refuse(*_: object) -> Any:
        raise AssertionError("the strict parser was asked")

    monkeypatch.setattr(load, "loads", refuse)
    monkeypatch.setattr("ragproof.dataset.stream.Cursor.value", refuse)
    assert len(read("\n".join(json.dumps(raw(id=name)) for name in "abc")).cases) == 3
