"""YAML that could surprise, grow or build things is refused; all else is plain data."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragproof.config.strictyaml import MAX_DEPTH, StrictYamlError, load

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def refused(text: str) -> str:
    with pytest.raises(StrictYamlError) as caught:
        load(text)
    return f"{caught.value.line}: {caught.value.message}"


@given(st.text())
@example("a: 2020-13-45")
@example("a: !!timestamp x")
@example("a: !!float ''")
@example("a: !!int ''")
@example("a: !!bool x")
@example("a: 0x_")
@example("a: " + "1" * 5000)
@example("\ud800")
@example("a: \x01")
@example("%YAML 9.9\n---\n")
@example("[" * 10_000)
@example("? " * 10_000)
@example("a: &a [*a]")
@example("&a ? *a : *a")
@example("!<tag:yaml.org,2002:map> [x]")
@example("!!seq {a: 1}")
@example("!!str {a: 1}")
@example("=")
def test_any_text_is_data_or_one_kind_of_error(text: str) -> None:
    is_data_or_refused(text)


def is_data_or_refused(text: str) -> None:
    with suppress(StrictYamlError):
        json.dumps(load(text).value, allow_nan=False)


PIECES = (
    *"{}[]:,-?&*!|>'\"#%@ \n\t",
    *("a", "b: ", "- ", "!!", "!!int ", "!!set ", "&x ", "*x", "<<: ", ".nan", "1e3", "0x1"),
    *("2001-01-01", "12:30", "~", "yes", "---\n", "...\n", "\\ud800", "\ufeff"),
)
pieces = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(pieces)
def test_anything_that_looks_like_yaml(text: str) -> None:
    is_data_or_refused(text)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.text("abc é漢\n\"'#:", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(json_values)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert load(json.dumps(value, ensure_ascii=False)).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("a: 2020-01-31", "2020-01-31"),
        ("a: 2020-01-31T10:00:00Z", "2020-01-31T10:00:00Z"),
        ("a: 12:30", "12:30"),
        ("a: 190:20:30.15", "190:20:30.15"),
        ("a: =", "="),
        ("a: 1_000", 1000),
        ("a: 1.5", 1.5),
        ("a: ~", None),
        ("a: on", True),
        ("a: !!str 5", "5"),
        ("a: !!float 5", 5.0),
        ("a: <<", "<<"),
    ],
)
def test_scalars(text: str, value: Any) -> None:
    made = load(text).value
    assert (made if made is None else made["a"]) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "3: the key 'a' stands twice"),
        ("a: {b: 1, 'b': 2}", "1: the key 'b' stands twice"),
        ("a: 1\n5: 2", "2: the key 5 is not text: put it in quotes"),
        ("on: push", "1: the key on is not text: put it in quotes"),
        ("~: x", "1: the key ~ is not text"),
        ("? [a, b]\n: x", "1: a key is not text"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "3: merge keys (<<) are not supported"),
        ("a: .nan", "1: .nan is not a number that JSON has"),
        ("a: -.inf", "1: -.inf is not a number"),
        ("\na: 1.0e+400", "2: 1.0e+400 is not a number"),
        ("a: 99999999999999999999", "1: a whole number is too large"),
        ("\n\na: !!python/object/apply:os.system ['x']", "3: the tag '!!python/object/apply:os"),
        ("!!python/object:os.x {a: 1}", "1: the tag '!!python/object:os.x' is not supported"),
        ("a: !!set {x, y}", "1: the tag '!!set' is not supported"),
        ("a: !!omap [x: 1]", "1: the tag '!!omap' is not supported"),
        ("a: !!binary aGk=", "1: the tag '!!binary' is not supported"),
        ("a: !env X", "1: the tag '!env' is not supported"),
        ("a: 1\n---\nb: 2", "2: but found another document"),
        ("a: [1, 2", "2: did not find expected"),
        ("a: 1\nb: \x07", "2: control characters are not allowed"),
        ("a:\n\t- b", "2: found character that cannot start any token"),
        ("a: *nowhere", "1: found undefined alias"),
        ("a: &a [*a]", "1: too large or nested too deep"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "1: too large or nested too deep"),
        ("[" * 50_000, "1: "),
        ("a: &x " + "[" * 500 + "]" * 500, "1: too large or nested too deep"),
    ],
)
def test_refused(text: str, message: str) -> None:
    assert refused(text).startswith(message)


@pytest.mark.parametrize(
    "text", [BOMB, f"{BOMB}? *i\n: x\n", f"? {BOMB[3:34]}\n: x", "- {? *x : 1}"]
)
def test_bombs_go_off_at_once(text: str) -> None:
    started = time.monotonic()
    assert len(refused(text)) < 200
    assert time.monotonic() - started < 5


def test_a_bomb_as_a_key_is_not_even_printed() -> None:
    lines = BOMB.rstrip().split("\n")
    nested = "".join(f"  - {line.partition(': ')[2]}\n" for line in lines)
    assert refused(f"a:\n{nested}? *i\n: x\n").endswith(
        ("is not text: put it in quotes", "aliases included")
    )


def test_lines_are_remembered() -> None:
    lines = load("# top\na:\n  b: 1\n  c:\n    - x\n    - y: 2\nd: |\n  text\n").lines
    assert lines == {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "c"): 4,
        ("a", "c", 0): 5,
        ("a", "c", 1): 6,
        ("a", "c", 1, "y"): 6,
        ("d",): 7,
    }


def test_aliases_are_allowed_within_bounds() -> None:
    assert load("a: &x {p: 1}\nb: *x\nc: [*x, *x]").value["c"] == [{"p": 1}, {"p": 1}]
