"""JSON that two readers could see differently is refused, in every form of it."""

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.strictjson import (
    MAX_DEPTH,
    MAX_INTEGER_DIGITS,
    StrictJsonError,
    canonical,
    canonical_texts,
    decode,
    loads,
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(st.text(max_size=40) | st.text('{}[]":,0.e-+truefalsn\\ud8 ', max_size=12))
def test_any_text_is_a_value_or_one_kind_of_error(text: str) -> None:
    with suppress(StrictJsonError):
        assert loads(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        '{"a": -Infinity}',
        "1e400",
        "[-1e999]",
        '{"a": 1, "a": 1}',
        '[{"b": {"a": 1, "b": 2, "a": 3}}]',
        '{"a": 1, "\\u0061": 2}',
        r'"\ud800"',
        r'{"\udfff": 1}',
        r'"\udc00\ud800"',
        "9" * (MAX_INTEGER_DIGITS + 1),
        "-" + "9" * 5000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "",
        "  ",
        "1 2",
        "{} {}",
        "'a'",
        "[1,]",
        '{"a":1,}',
        "tru",
        '"a\nb"',
        "\ufeff1",
        "01",
        "1.",
        "\u00a01",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(StrictJsonError):
        loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "\U0001f600"),
        ("1e308", 1e308),
        ("9" * MAX_INTEGER_DIGITS, int("9" * MAX_INTEGER_DIGITS)),
        (" \t\r\n1 \n", 1),
        (r'"\\ud800"', r"\ud800"),
    ],
)
def test_taken(text: str, value: Any) -> None:
    assert loads(text) == value


def test_depth_is_bounded_but_width_is_not() -> None:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert loads(deep) is not None
    assert len(loads(f"[{','.join(['[{}]'] * 1000)}]")) == 1000


def test_a_cut_string_is_noticed_where_it_ends() -> None:
    with pytest.raises(StrictJsonError) as caught:
        loads('{"a": "bcd')
    assert caught.value.pos == 10


def test_decode_walks_along() -> None:
    value, end = decode("  [1] {}", 2)
    assert (value, end) == ([1], 5)


def test_canonical_form_is_fixed() -> None:
    value = {"b": [1, None, True], "a": "é\u2028\n", "\U0001f600": {}, "\uffff": 0.5}
    assert canonical(value) == '{"a":"é\u2028\\n","b":[1,null,true],"\uffff":0.5,"\U0001f600":{}}'


@given(values)
def test_canonical_form_has_one_text_a_meaning(value: Any) -> None:
    text = canonical(value)
    again = loads(text)
    assert canonical(again) == text
    assert not any(isinstance(number, float) and math.isnan(number) for number in [again])


plain = st.recursive(
    st.none() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_texts_have_the_same_canonical_form_by_the_faster_way(value: Any) -> None:
    try:
        right = canonical(value).encode()
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            canonical_texts(value)
    else:
        assert canonical_texts(value) == right


def test_every_character_has_the_same_canonical_form_by_the_faster_way() -> None:
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert canonical_texts(characters) == canonical(characters).encode()
    keys = dict.fromkeys(reversed(characters[::7]))
    assert canonical_texts(keys) == canonical(keys).encode()
