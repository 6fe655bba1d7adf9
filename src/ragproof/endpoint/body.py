"""What an endpoint sent, as JSON on one line, with no secret in it."""

import json
from typing import Any, NamedTuple

import orjson

from ragproof.redact import Redactor
from ragproof.strictjson import may_hold_surrogates, well_formed

MAX_DEPTH = 100
QUOTED = 300
"""Characters of a bad answer that a failure quotes."""
QUOTED_BYTES = 16_384
"""Bytes of a bad answer that are looked at for that."""


_BOM = b"\xef\xbb\xbf"


class BodyError(ValueError):
    """A body that cannot be used; says why, quoting none of it."""


class Body(NamedTuple):
    """A JSON text without line breaks, and its value."""

    line: bytes
    value: Any


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(parse_constant=_no_constant)


def read_body(raw: bytes, redactor: Redactor) -> Body:
    """Parse a body, UTF-8 whatever its headers say; secrets are masked before anything is read.

    Raises:
        BodyError: not UTF-8, no JSON, or nested more than ``MAX_DEPTH`` levels deep.
    """
    raw = raw.removeprefix(_BOM)
    try:
        value = parse(raw)
        if _too_deep(raw, value):
            raise BodyError("the response is nested too deep")
        if redactor.forms and _leaks(raw, value, redactor):
            raw = _masked(value, redactor)
            value = parse(raw)
    except UnicodeDecodeError:
        raise BodyError("the response is not UTF-8") from None
    except RecursionError:
        raise BodyError("the response is nested too deep") from None
    except BodyError:
        raise
    except ValueError as error:
        what = "an empty body" if not raw.strip() else f"no JSON ({error})"
        raise BodyError(f"the response is {what}") from None
    # A line break in JSON is white space: one response stays on one line.
    return Body(raw.replace(b"\n", b" ").replace(b"\r", b" "), value)


def parse(raw: bytes) -> Any:
    """The value of a JSON text in UTF-8; halves of surrogate pairs in it become U+FFFD.

    Raises:
        ValueError, RecursionError: it is none, or nested too deep for the parser.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        # Slower, but it takes halves of surrogate pairs and says better what is wrong.
        text = raw.decode("utf-8")
        value = _JSON.decode(text)
        return well_formed(value) if may_hold_surrogates(text) else value


def quote(raw: bytes, redactor: Redactor) -> str:
    """The beginning of a body: masked first, and cut where no part of a secret stands."""
    whole = len(raw) <= QUOTED_BYTES
    text = redactor.raw(raw[:QUOTED_BYTES]).decode("utf-8", "replace")
    longest = len(redactor.forms[0]) if redactor.forms else 0
    return clean(text if whole else text[: len(text) - longest], redactor)[:QUOTED]


def clean(text: str, redactor: Redactor) -> str:
    """``text`` on one line, with no secret in it."""
    # Once before white space goes, and once after: a secret may hold white space.
    return redactor.text(" ".join(redactor.text(text).split()))


def _leaks(raw: bytes, value: Any, redactor: Redactor) -> bool:
    """Whether a JSON text holds a secret, however it is escaped."""
    text = raw.decode("utf-8")
    if "\\u" in text or "\\/" in text:
        text = json.dumps(value, ensure_ascii=False)
    return redactor.hides(text)


def _masked(value: Any, redactor: Redactor) -> bytes:
    text = json.dumps(redactor.value(value), ensure_ascii=False)
    return redactor.raw(text.encode("utf-8"))


def _too_deep(raw: bytes, value: Any) -> bool:
    if not _many_brackets(raw):
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        boxes = [one for one in level if isinstance(one, dict | list)]
        if not boxes:
            return False
        level = [part for one in boxes for part in (one.values() if isinstance(one, dict) else one)]
    return True


def _many_brackets(raw: bytes) -> bool:
    """Whether there are enough to nest too deep; finding each is faster than counting all."""
    found = 0
    for bracket in (b"[", b"{"):
        place = raw.find(bracket)
        while place >= 0:
            found += 1
            if found > MAX_DEPTH:
                return True
            place = raw.find(bracket, place + 1)
    return False
