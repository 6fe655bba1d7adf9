"""JSON as files must hold it, and the canonical form that hashes are made of.

Python's parser takes NaN, keeps the last of two equal keys and lets lone
surrogates through; each would let two readers see different data in one file.
"""

import hashlib
import json
import re
from typing import Any

MAX_INTEGER_DIGITS = 19
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


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_bounded_int
)


def decode(text: str, pos: int = 0) -> tuple[Any, int]:
    """Decode the value that begins at ``pos``; return it with the position after it.

    Raises:
        StrictJsonError: malformed, NaN or Infinity, a key twice in an object, an
            integer beyond 19 digits, a lone surrogate, or nesting too deep.
    """
    try:
        value, end = _DECODER.raw_decode(text, pos)
    except StrictJsonError as error:
        raise StrictJsonError(error.message, pos) from None
    except json.JSONDecodeError as error:
        raise StrictJsonError(error.msg, error.pos) from None
    except RecursionError:
        raise StrictJsonError("nested too deep", pos) from None
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


def canonical(value: Any) -> str:
    """One text per meaning: keys sorted by code point, no spaces, no ASCII escaping."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sha256_hex(text: str) -> str:
    """Hex SHA-256 of the UTF-8 form."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
