"""What a model's reply says, whatever the shape it is wrapped in; nothing is guessed."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_LISTS = ("questions", "items", "cases", "results", "data", "qa_pairs", "pairs", "qa", "samples")
_QUESTION = ("question", "q", "query")
_ANSWER = ("answer", "a", "expected_answer")
_QUOTES = ("quotes", "quote", "evidence", "supporting_quote", "citation")
_MAX_ITEMS = 50
_MAX_TEXT = 4_000


class Written(NamedTuple):
    """A question that a model wrote; what it left out is empty."""

    question: str
    answer: str
    quotes: tuple[str, ...]


class Checked(NamedTuple):
    """What a model says of a question and its passages; ``None`` where it does not say."""

    answerable: bool | None
    correct: bool | None
    needed: bool | None
    answer: str


class Answering(NamedTuple):
    """A passage, counted from 0, that answers a question; ``same`` as expected, or another way."""

    passage: int
    quote: str
    same: bool | None


def read_questions(value: Any) -> list[Written] | None:
    """The questions in a reply, in order; ``None`` if it has not the shape of any."""
    items = _items(value, _QUESTION)
    if items is None:
        return None
    found = [_written(item) for item in items[:_MAX_ITEMS]]
    return [one for one in found if one is not None] if any(found) or not items else None


def _written(item: Any) -> Written | None:
    if not isinstance(item, Mapping):
        return None
    question = _text(_first(item, _QUESTION))
    if not question:
        return None
    quotes = _first(item, _QUOTES)
    many = quotes if isinstance(quotes, list) else [quotes]
    return Written(
        question, _answer(_first(item, _ANSWER)), tuple(filter(None, map(_quote, many[:5])))
    )


def read_check(value: Any) -> Checked | None:
    """The verdict in a reply, ``None`` if there is none."""
    item = _only(value)
    if item is None or "answerable" not in item:
        return None
    return Checked(
        _bool(item.get("answerable")),
        _bool(item.get("correct")),
        _bool(item.get("needed")),
        _answer(item.get("answer")),
    )


def read_elsewhere(value: Any, passages: int) -> list[Answering] | None:
    """Which of so many passages answer, ``None`` if the reply does not say in a known way."""
    items = _items(value, ("passage",), ("answers", *_LISTS))
    if items is None:
        return None
    found = []
    for item in items[:_MAX_ITEMS]:
        number = _number(item.get("passage")) if isinstance(item, Mapping) else None
        if number is None or not 1 <= number <= passages:
            return None
        verdict = str(item.get("verdict", "")).strip().casefold()
        same = {"same": True, "different": False}.get(verdict)
        found.append(Answering(number - 1, _quote(item.get("quote")), same))
    return found


def read_answerable(value: Any, passages: int) -> Answering | bool | None:
    """The passage that answers, ``False`` if none does, ``True`` if one does that is not named,
    ``None`` if the reply does not say."""
    item = _only(value)
    if item is None:
        return None
    answered = _bool(item.get("answered"))
    if not answered:
        return answered
    number = _number(item.get("passage"))
    if number is None or not 1 <= number <= passages:
        return True
    return Answering(number - 1, _quote(item.get("quote")), None)


def _items(value: Any, marks: Iterable[str], lists: Iterable[str] = _LISTS) -> list[Any] | None:
    """The list in a reply: bare, under a usual key, or a single object that is one item."""
    if isinstance(value, list):
        return value
    if not isinstance(value, Mapping):
        return None
    for key in lists:
        inner = value.get(key)
        if isinstance(inner, list):
            return inner
        if isinstance(inner, Mapping):
            return [inner]
    if any(mark in value for mark in marks):
        return [value]
    only = list(value.values())
    return only[0] if len(only) == 1 and isinstance(only[0], list) else None


def _only(value: Any) -> Mapping[str, Any] | None:
    """The one object of a reply."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, Mapping) else None


def _first(item: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "", [])), None)


def _text(value: Any) -> str:
    """A text on one line; empty for what is none, or is longer than any can be."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if len(text) <= _MAX_TEXT and _writable(text) else ""


def _quote(value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return text if len(text) <= _MAX_TEXT and _writable(text) else ""


def _answer(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return _text(", ".join(value))
    return _text(value)


def _writable(text: str) -> bool:
    """Whether it holds no half of a surrogate pair, and no control character."""
    return not any(
        "\ud800" <= char <= "\udfff" or (char < " " and char not in "\t\n\r") for char in text
    )


def _bool(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
