"""JSON as files must hold it, and the canonical form that hashes are made of.

Python's parser takes NaN, keeps the last of two equal keys and lets lone
surrogates through; each would let two readers see different data in one file.
"""

import hashlib
import json
import re
from math import isinf
from typing import Any

import orjson

MAX_INTEGER_DIGITS = 19
MAX_DEPTH = 64
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class StrictJsonError(ValueError):
    """Text that is not strict JSON. ``pos`` is the character where it was noticed."""

    def __init__(self, message: str, pos: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.pos = pos


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise StrictJsonError(f"the key {twice!r} stands twice in one object")
    return made


def _no_constant(name: str) -> Any:
    raise StrictJsonError(f"{name} is not a JSON number")


def _bounded_int(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise StrictJsonError(f"an integer of {len(digits)} digits is too large")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise StrictJsonError(f"the number {digits[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_int=_bounded_int,
    parse_float=_finite,
)


def decode(text: str, pos: int = 0) -> tuple[Any, int]:
    """Decode the value that begins at ``pos``; return it with the position after it.

    Raises:
        StrictJsonError: malformed, NaN or Infinity, a key twice in an object, an
            integer beyond 19 digits, a number that only infinity could stand for, a
            lone surrogate, or more than ``MAX_DEPTH`` levels.
    """
    try:
        value, end = _DECODER.raw_decode(text, pos)
    except StrictJsonError as error:
        raise StrictJsonError(error.message, pos) from None
    except json.JSONDecodeError as error:
        # Of a string without an end the parser names the beginning.
        cut = error.msg.startswith("Unterminated string")
        raise StrictJsonError(error.msg, len(text) if cut else error.pos) from None
    except RecursionError:
        raise StrictJsonError("nested too deep", pos) from None
    if text.count("[", pos, end) + text.count("{", pos, end) > MAX_DEPTH and _too_deep(value):
        raise StrictJsonError("nested too deep", pos)
    if _SURROGATE_ESCAPE.search(text, pos, end) and not is_unicode(value):
        raise StrictJsonError("holds half of a surrogate pair", pos)
    return value, end


def loads(text: str) -> Any:
    """Decode ``text``, which must be one JSON value and nothing else.

    Raises:
        StrictJsonError: see :func:`decode`.
    """
    start = skip_space(text, 0)
    value, end = decode(text, start)
    end = skip_space(text, end)
    if end != len(text):
        raise StrictJsonError("more text follows the JSON value", end)
    return value


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        boxes = [one for one in level if isinstance(one, dict | list)]
        if not boxes:
            return False
        level = [part for one in boxes for part in (one.values() if isinstance(one, dict) else one)]
    return True


_SPACE = re.compile(r"[ \t\r\n]*")


def skip_space(text: str, pos: int) -> int:
    """Position of the first character from ``pos`` on that is no JSON white space."""
    match = _SPACE.match(text, pos)
    return match.end() if match else pos


def is_unicode(value: Any) -> bool:
    """Whether all strings in a parsed value can be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def well_formed(value: Any) -> Any:
    """A parsed value with U+FFFD in place of halves of surrogate pairs, which escapes can spell."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def may_hold_surrogates(text: str) -> bool:
    """Whether escapes in a JSON text could spell halves of surrogate pairs."""
    return "\\u" in text and _SURROGATE_ESCAPE.search(text) is not None


_encode_canonical = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":")
).encode


def canonical(value: Any) -> str:
    """One text per meaning: keys sorted by code point, no spaces, no ASCII escaping."""
    return _encode_canonical(value)


def canonical_texts(value: Any) -> bytes:
    """The canonical form, in UTF-8, of what holds only objects, lists, texts and nulls.

    These, unlike numbers, a several times faster encoder writes no differently.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return canonical(value).encode("utf-8")


def sha256_hex(text: str | bytes) -> str:
    """Hex SHA-256 of the UTF-8 form."""
    raw = text.encode("utf-8") if isinstance(text, str) else text
    return hashlib.sha256(raw).hexdigest()
