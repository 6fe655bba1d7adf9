"""From what a model wrote to data: strict JSON first, then repaired, never guessed."""

import json
import re
from typing import Any

from ragproof.llm.brackets import find_opener, span
from ragproof.llm.errors import Reason, ReplyError
from ragproof.llm.fidelity import is_faithful
from ragproof.strictjson import MAX_DEPTH, StrictJsonError, decode, loads

MAX_REPAIRED = 100_000
"""Characters of the longest text that is repaired: it takes longer than to parse one."""

_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;]*(?:```[\w-]*[\s,;]*)*")
_GOES_BEFORE = re.compile(r"[\"'“”]\s*[:,]\s*\Z")
_RESIDUE = re.compile(r"[\"'“”]\s*:\s*[\"'“{\[\d]")
_GOES_ON = re.compile(r"\s*(?:[}\]:\"']|,\s*[^\s`])")


def parse_reply(text: str) -> Any:
    """The JSON value in a reply: the whole of it, or the one within prose and code fences.

    Objects that stand one after the other, as in JSON lines, make a list. A value that is no
    strict JSON (other quotes, stray commas, words of Python, quotes nobody escaped) is repaired,
    if the repair neither adds, drops nor moves anything that was said.

    Raises:
        ReplyError: there is no value (``not_json``), the text ends inside it (``truncated``),
            there are several or a key stands twice (``ambiguous``), or there is no text
            (``empty``).
    """
    text = _without_thoughts(text.removeprefix("\ufeff"))
    if not text.strip():
        raise ReplyError(Reason.EMPTY, "the reply is empty")
    try:
        return loads(text)
    except StrictJsonError:
        return _embedded(text)


def _without_thoughts(text: str) -> str:
    while (thoughts := _THOUGHTS.match(text)) is not None:
        text = text[thoughts.end() :]
    if _THINKING.match(text):
        raise ReplyError(Reason.TRUNCATED, "the reply ends before the model stopped thinking")
    return text


def _embedded(text: str) -> Any:
    """The one value in a text with something else around it."""
    values: list[Any] = []
    apart = False
    pos = 0
    while (start := find_opener(text, pos)) is not None:
        if _GOES_BEFORE.search(text, max(0, start - 100), start):
            raise ReplyError(Reason.NOT_JSON, "the reply's JSON value has no beginning")
        value, end = _value_at(text, start)
        if not _is_mark(value):
            apart = apart or (bool(values) and not _BETWEEN.fullmatch(text, pos, start))
            values.append(value)
        pos = end
    if values and (_GOES_ON.match(text, pos) or _RESIDUE.search(text, pos)):
        raise ReplyError(Reason.NOT_JSON, "the reply goes on after its JSON value was closed")
    if not values:
        raise ReplyError(Reason.NOT_JSON, "the reply holds no JSON object or list")
    if all(_same(value, values[0]) for value in values[1:]):
        return values[0]
    if apart or not all(isinstance(value, dict) for value in values):
        raise ReplyError(Reason.AMBIGUOUS, f"the reply holds {len(values)} JSON values")
    return values


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins with the bracket at ``start``, and the offset behind it."""
    try:
        return decode(text, start)
    except StrictJsonError as error:
        where = span(text, start)
        if where.cut and not _is_closed(text):
            raise ReplyError(Reason.TRUNCATED, "the reply ends inside a JSON value") from None
        if where.end is None:
            problem = "in the reply quotes or brackets do not match"
            raise ReplyError(Reason.NOT_JSON, problem) from None
        return _repaired(text[start : where.end], error.message), where.end


def _is_closed(text: str) -> bool:
    """Whether a text ends like JSON; then it is broken rather than cut off."""
    return text.rstrip("` \t\r\n").endswith(("}", "]"))


def _repaired(text: str, problem: str) -> Any:
    if "stands twice" in problem:
        raise ReplyError(Reason.AMBIGUOUS, f"in the reply {problem}")
    unusable = ReplyError(Reason.NOT_JSON, f"the reply is no JSON: {problem}")
    if len(text) > MAX_REPAIRED or _nests_deep(text):
        raise unusable
    from json_repair import repair_json  # noqa: PLC0415 - most replies need no repair

    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
        # What comes out must itself be strict: no NaN, no halves of pairs, no huge integers.
        value = loads(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError, TypeError, AttributeError, IndexError, KeyError):
        raise unusable from None
    if not isinstance(value, dict | list) or not is_faithful(value, text):
        raise ReplyError(
            Reason.NOT_JSON, f"the reply is no JSON, and mending it would be guessing: {problem}"
        )
    return value


def _nests_deep(text: str) -> bool:
    depth = deepest = 0
    for sign in re.findall(r"[{\[()\]}]", text):
        depth += 1 if sign in "{[(" else -1
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH


def _is_mark(value: Any) -> bool:
    """Whether a list in prose is a mark like ``[1]`` rather than data."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], int)


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
