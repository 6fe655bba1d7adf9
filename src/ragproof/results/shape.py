"""What a run file must hold, checked where one is read: it may come from anywhere.

A shape looks at a value and says what is wrong with it, naming the place; ``""`` is nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ragproof.records import Kind, Outcome

Shape = Callable[[Any], str]

_LARGEST = 2**63


def _text(value: Any) -> str:
    return "" if isinstance(value, str) else " should be text"


def _flag(value: Any) -> str:
    return "" if isinstance(value, bool) else " should be true or false"


def _number(value: Any) -> str:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if good and abs(value) < _LARGEST else " should be a number"


def _whole(value: Any) -> str:
    good = isinstance(value, int) and not isinstance(value, bool)
    return "" if good and 0 <= value < _LARGEST else " should be a whole number from 0"


def _optional(shape: Shape) -> Shape:
    return lambda value: "" if value is None else shape(value)


def _one_of(*names: str) -> Shape:
    known = frozenset(names)
    return lambda value: (
        "" if isinstance(value, str) and value in known else f" should be {' or '.join(names)}"
    )


def _list(shape: Shape) -> Shape:
    def check(value: Any) -> str:
        if not isinstance(value, list):
            return " should be a list"
        return next((f".{at}{wrong}" for at, one in enumerate(value) if (wrong := shape(one))), "")

    return check


def _table(shape: Shape, keys: Shape = _text) -> Shape:
    def check(value: Any) -> str:
        if not isinstance(value, dict):
            return " should be an object"
        for key, one in value.items():
            if wrong := keys(key) or shape(one):
                return f".{key[:80]}{wrong}"
        return ""

    return check


def _record(fields: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    """An object with these fields; others do no harm."""

    def check(value: Any) -> str:
        if not isinstance(value, dict):
            return " should be an object"
        for name, shape in fields.items():
            if name not in value:
                return f".{name} is missing"
            if wrong := shape(value[name]):
                return f".{name}{wrong}"
        for name, shape in (optional or {}).items():
            if name in value and (wrong := shape(value[name])):
                return f".{name}{wrong}"
        return ""

    return check


_texts = _list(_text)
_outcome = _one_of(*Outcome)
_bound = _optional(_number)
_measured = {"scored": _whole, "of": _whole}
_failure = _record({"kind": _text, "message": _text, "excerpt": _text})

case: Shape = _record(
    {
        "id": _text,
        "kind": _one_of(*Kind),
        "tags": _texts,
        "language": _optional(_text),
        "line": _whole,
        "question": _text,
        "outcome": _outcome,
        "reasons": _texts,
        "scores": _table(_number),
        "unscored": _table(_text),
        "expected": _texts,
        "expected_answer": _optional(_text),
        "retrieved": _optional(_list(_optional(_text))),
        "ranks": _optional(_list(_whole)),
        "answer": _optional(_text),
        "latency_s": _optional(_number),
        "attempts": _whole,
    },
    {"failure": _failure, "known_failure": _flag},
)

_threshold = _record(
    {
        "metric": _text,
        "min": _bound,
        "max": _bound,
        "value": _optional(_number),
        "outcome": _outcome,
        **_measured,
    }
)
_gate = _record(
    {
        "coverage": _record({"value": _number, "min": _number, "outcome": _outcome}),
        "thresholds": _list(_threshold),
        "required": _list(_record({"case": _text, "outcome": _outcome})),
        "allow_failing": _record({"failing": _texts, "passing": _texts}),
    }
)
_dataset = _record(
    {"path": _text, "hash": _text, "frozen": _flag, "cases": _whole, "selected": _whole}
)
_metric = _record(
    {
        "name": _text,
        "value": _optional(_number),
        "unscored": _table(_whole),
        "errors": _whole,
        **_measured,
    }
)
_rules = _table(_table(_record({}, {"min": _bound, "max": _bound})), _one_of(*Kind))

head: Shape = _record(
    {
        "ragproof": _text,
        "complete": _flag,
        "verdict": _one_of("pass", "fail", "error", "ungated"),
        "exit_code": _whole,
        "reasons": _texts,
        "dataset": _dataset,
        "select": _optional(_text),
        "limit": _optional(_whole),
        "endpoint": _optional(_text),
        "responses": _record({"file": _text, "sha256": _text, "duration_s": _optional(_number)}),
        "settings": _record({"k": _list(_whole), "source_match": _text, "case_pass": _rules}),
        "counts": _record(dict.fromkeys(Outcome, _whole)),
        "metrics": _list(_metric),
        "gate": _optional(_gate),
    }
)
