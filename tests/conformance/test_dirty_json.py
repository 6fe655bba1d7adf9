"""Malformed JSON as models write it, with what a library for repairing makes of it.

We refuse more than it does: what it closes, fills in, drops or merges is refused with a reason.
What is taken is what the library's own tests expect.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragproof.llm.errors import Reason, ReplyError
from ragproof.llm.reply import parse_reply

pytestmark = pytest.mark.conformance

# Inputs where we take something else than the library's tests expect, and why that is right.
OURS: dict[str, Any] = {
    # Two objects with a comma in between: the library drops the empty one.
    '{"key": "value"}, {}': [{"key": "value"}, {}],
}
TAKEN = 95
"""How many are at least taken: to refuse everything would be no art."""


def expected_of(pair: dict[str, Any]) -> Any:
    expected, kwargs = pair["expected"], pair["kwargs"]
    if kwargs.get("logging"):
        return expected[0]
    if isinstance(expected, str) and not kwargs.get("return_objects"):
        return json.loads(expected) if expected else None
    return expected


def test_what_is_taken_is_right_and_all_else_has_a_reason(data: Path) -> None:
    path = data / "dirty_json" / "json_repair_pairs.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is absent")
    pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    outcomes: Counter[str] = Counter()
    for pair in pairs:
        try:
            value = parse_reply(pair["input"])
        except ReplyError as error:
            outcomes[error.reason] += 1
        else:
            expected = OURS.get(pair["input"], expected_of(pair))
            assert value == expected, pair["test"]
            outcomes["taken"] += 1
    assert set(outcomes) <= {"taken", *Reason}
    assert outcomes["taken"] >= TAKEN, outcomes


def test_no_beginning_of_a_good_one_is_taken(data: Path) -> None:
    """Cut anywhere, an object or list is refused, or the cut took nothing but white space."""
    path = data / "dirty_json" / "json_repair_pairs.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is absent")
    for line in path.read_text("utf-8").splitlines():
        text = json.loads(line)["input"].strip()
        try:
            whole = json.loads(text)
        except ValueError:
            continue
        if not isinstance(whole, dict | list):
            continue
        for cut in range(1, len(text)):
            with pytest.raises(ReplyError):
                parse_reply(text[:cut])
