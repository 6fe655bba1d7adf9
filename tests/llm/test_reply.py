"""From what a model wrote to data."""

import contextlib
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.llm.brackets import Span, span
from ragproof.llm.errors import CompletionError, Reason, ReplyError
from ragproof.llm.fidelity import is_faithful
from ragproof.llm.reply import MAX_REPAIRED, parse_reply

QA: dict[str, Any] = {"question": "How long?", "answer": "24 months", "quote": "lasts 24 months"}
TEXT = json.dumps(QA)
LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff"))
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | LETTERS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LETTERS, inner, max_size=4),
    max_leaves=12,
)
BOXES = st.lists(VALUES, max_size=4) | st.dictionaries(LETTERS, VALUES, max_size=4)
PLAIN = st.text("abc xyz,.!?äß日本", min_size=1).map(str.strip).filter(bool)
RECORDS = st.dictionaries(st.sampled_from(["question", "answer", "quote"]), PLAIN, min_size=1)


def refused(text: str) -> Reason:
    with pytest.raises(ReplyError) as caught:
        parse_reply(text)
    assert isinstance(caught.value, CompletionError)
    assert caught.value.message
    return caught.value.reason


@given(VALUES)
def test_strict_json_is_read_as_it_is(value: Any) -> None:
    assert parse_reply(json.dumps(value)) == value
    assert parse_reply(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(BOXES, st.sampled_from(["```json\n{}\n```", "Here you are:\n{}", "{}\nI hope it helps!"]))
def test_prose_and_fences_around_it_do_not_matter(value: Any, around: str) -> None:
    if value not in ([], {}) and not (len(value) == 1 and isinstance(value, list)):
        assert parse_reply(around.replace("{}", json.dumps(value))) == value


@given(RECORDS, st.data())
def test_what_was_cut_off_is_never_data(record: dict[str, str], data: st.DataObject) -> None:
    whole = json.dumps([record, record | {"more": "text"}], ensure_ascii=False)
    cut = data.draw(st.integers(1, len(whole) - 1))
    refused(whole[:cut])
    refused("```json\n" + whole[:cut])
    refused("```json\n" + whole[:cut] + "\n```")


@given(st.lists(RECORDS, min_size=2, max_size=4), st.data())
def test_cut_lines_of_json_are_never_data(
    records: list[dict[str, str]], data: st.DataObject
) -> None:
    lines = [json.dumps(record) for record in records]
    cut = data.draw(st.integers(1, len(lines[-1]) - 1))
    refused("\n".join([*lines[:-1], lines[-1][:cut]]))


@given(RECORDS)
def test_the_spelling_of_python_is_understood(record: dict[str, str]) -> None:
    assert parse_reply(repr(record | {"ok": True, "no": None, "n": 3})) == {
        **record,
        "ok": True,
        "no": None,
        "n": 3,
    }


@given(RECORDS)
def test_a_comma_too_many_does_not_matter(record: dict[str, str]) -> None:
    text = json.dumps(record, ensure_ascii=False)
    assert parse_reply(text[:-1] + ",}") == record


@given(st.text(max_size=60) | st.text("{}[]\"':,\\ntrue0aé\n`", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse_reply(text)
    except ReplyError:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    if isinstance(value, dict | list):
        kept = re.sub(r"\W|_", "", json.dumps(value, ensure_ascii=False))
        assert len(kept) <= len(text) + 8  # nothing is made up


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"\ufeff {TEXT}\n", QA),
        (f"<think>maybe {{'a': 1}}</think>\n{TEXT}", QA),
        (f"<think>one</think><think>two</think>{TEXT}", QA),
        (f"As [1] and [2] say:\n{TEXT}", QA),
        (f"{TEXT}\n{TEXT}", QA),
        (f"First {TEXT}, and once more: ```\n{TEXT}\n```", QA),
        ('{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', [{"a": 1}, {"a": 2}]),
        ("{'a': 'it\\'s', 'b': True, 'c': None}", {"a": "it's", "b": True, "c": None}),
        ("{“a”: “b”}", {"a": "b"}),
        ("{a: 'b'}", {"a": "b"}),
        ('{"a": "say "hello" to her", "b": 1}', {"a": 'say "hello" to her', "b": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": "C:\\dir"}', {"a": "C:\\dir"}),
        ('{"a": "\\$5"}', {"a": "\\$5"}),
        ('{"a": "see ```x``` there",}', {"a": "see ```x``` there"}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{'a': '', 'b': ''}", {"a": "", "b": ""}),
        ('{"a": .5, }', {"a": 0.5}),
        ("42", 42),
        ('"text"', "text"),
        ("The set {x | x > 0} is meant. " + TEXT, QA),
    ],
)
def test_what_models_write_is_understood(text: str, value: Any) -> None:
    assert parse_reply(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.EMPTY),
        ("\ufeff \n", Reason.EMPTY),
        ("<think>done</think>", Reason.EMPTY),
        ("<think>and then", Reason.TRUNCATED),
        ("I cannot do that.", Reason.NOT_JSON),
        ("See [1].", Reason.NOT_JSON),
        ("```json\n```", Reason.NOT_JSON),
        (TEXT[:-1], Reason.TRUNCATED),
        (TEXT[:-3], Reason.TRUNCATED),
        (f"[{TEXT}, {TEXT}", Reason.NOT_JSON),
        (f"[{TEXT}, ", Reason.TRUNCATED),
        (f"{TEXT}\n{{", Reason.TRUNCATED),
        ('{"items": [{"a": "b"}, {"a": "c', Reason.TRUNCATED),
        ('{"a": "b", "a": "c"}', Reason.AMBIGUOUS),
        ('{"a": 1} or rather {"a": 2}', Reason.AMBIGUOUS),
        ("[1, 2] [3, 4]", Reason.AMBIGUOUS),
        ('{"a": "b"}, "c": "d"}', Reason.NOT_JSON),
        ('{"a": , "b": ""}', Reason.NOT_JSON),
        ('{"a": "b", ...}', Reason.NOT_JSON),
        ("[1, 2, 3, ...]", Reason.NOT_JSON),
        ('{"a": "b" /* or "c" */}', Reason.NOT_JSON),
        ('{"a": "b", // or "c"\n"d": 1}', Reason.NOT_JSON),
        ('{"a": "\\ud800"}', Reason.NOT_JSON),
        ("{'a': 1e999}", Reason.NOT_JSON),
        ("{'a': 12345678901234567890}", Reason.NOT_JSON),
        ("{'a':" * 100 + "1" + "}" * 100, Reason.NOT_JSON),
        ('{"a": "{ b": {} }" }', Reason.NOT_JSON),
        ("{'a': 'it's fine'}", Reason.NOT_JSON),
        ('"a": "b", "c": []', Reason.NOT_JSON),
        ('{"a": "b"\n "c: 1, "d": []}', Reason.NOT_JSON),
        ('{"a": "It is ""fine", they said: no."}', Reason.NOT_JSON),
        ('{"a": -3,, "b": 1}', Reason.NOT_JSON),
        ('{"a": null:\n"b": 1}', Reason.NOT_JSON),
        ('{"a": ["" "x"]}', Reason.NOT_JSON),
        ('{"a": "b,\n"n" true}', Reason.NOT_JSON),
        ('{"a": "b, "c" "x", "n": 1}', Reason.NOT_JSON),
        ('{"a": "b"}l": [\n}', Reason.NOT_JSON),
        ('{"a": "b"c"}', Reason.NOT_JSON),
        ("{'a': '" + "b" * MAX_REPAIRED + "'}", Reason.NOT_JSON),
    ],
)
def test_what_cannot_be_taken_as_it_is_meant_is_refused(text: str, reason: Reason) -> None:
    assert refused(text) is reason


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        '"' * 50_000,
        "{'" * 30_000,
        '{"a": ' + '"b" ' * 20_000 + "}",
        "{'a': [" + "'b', " * 15_000 + "]}",
        "[1] " * 25_000,
        "<think>" * 15_000,
        "{a:" + "\\" * 90_000 + "}",
    ],
    ids=lambda text: text[:12],
)
def test_no_text_takes_long(text: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(ReplyError):
        parse_reply(text)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    ("value", "text", "faithful"),
    [
        ({"a": "b"}, "{'a': 'b'}", True),
        ({"a": "b"}, "{'a': 'b', 'c': 'd'}", False),
        ({"a": "b", "c": "d"}, "{'a': 'b'}", False),
        ({"b": "a"}, "{'a': 'b'}", False),
        ({"a": "c"}, "{'a': 'b', 'a': 'c'}", False),
        ({"a": ""}, "{'a': }", False),
        ({"a": ""}, "{'a': ''}", True),
        ({"a": True}, "{'a': True}", True),
        ({"a": True}, "{'a': Truely}", False),
        ({"a": None}, "{'a': None}", True),
        ({"a": 5}, "{'a': -5}", False),
        ({"a": 5}, "{'a': 5%}", False),
        ({"a": 1.5}, "{'a': 1.50}", True),
        ({"a": "é"}, "{'a': '\\u00e9'}", True),
        ({"a": "x"}, "{'a': '(x)'}", False),
        ({"l": []}, "{'l': ['']}", False),
        ({"l": ["", ""]}, "{'l': ['', '']}", True),
        ({"a": "-3,"}, "{'a': -3,,}", False),
        ({"a": ":b"}, "{'a'::b}", False),
        ({"a": 'b", "n": 1'}, '{"a": "b", "n": 1}', False),
        ({'n" null, "l': []}, '{"n" null, "l": []}', False),
        ({"a": "b", "c": "d"}, '{"a": "b"c", d"}', False),
        ({"a": "it's'"}, "{'a': 'it's'}", False),
        ({"a": "'x'"}, "{'a': \"'x'\"}", True),
    ],
)
def test_faithfulness(value: Any, text: str, faithful: bool) -> None:
    assert is_faithful(value, text) is faithful


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{a: [1, 2]} tail", Span(11)),
        ('{"a": "}", b} tail', Span(13)),
        ('{"a": "b\\", }", c} tail', Span(18)),
        ("{a: 'b', c: it's} tail", Span(17)),
        ('{"a": "say "}" to"} tail', Span(13)),
        ("[{a: 1]} tail", Span(None)),
        ("{a: [1, 2", Span(None, cut=True)),
        ('{"a": "b} tail', Span(None, cut=True)),
    ],
)
def test_where_values_end(text: str, found: Span) -> None:
    assert span(text, 0) == found


@given(BOXES)
def test_the_end_of_strict_json_is_found(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    if not re.search(r'"\s*[,:\]}]', "".join(re.findall(r'\\".*', text))):
        assert span(text + " tail", 0).end == len(text)
