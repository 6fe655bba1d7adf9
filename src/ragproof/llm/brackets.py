"""Finding where a JSON value begins and ends in a text that may not be quite JSON."""

import re
from typing import NamedTuple

_OPENER = re.compile(
    r"""\{(?=\s*(?:["'“”‘’}]|[^\W\d][\w-]*["']?\s*:|\Z))"""
    r"""|\[(?=\s*(?:["'“”‘’{\[\]]|-?\d|(?:true|false|null|none|nan)\b|\Z))""",
    re.IGNORECASE,
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’"}
_SIGNIFICANT = re.compile(r"[\"'“”‘’{}\[\]()]")
_NEXT = re.compile(r"\s*(.)?", re.DOTALL)
_BEFORE_TEXT = "{[,:"


class Span(NamedTuple):
    """Where a value ends: the offset behind it, or ``None`` with the reason.

    ``cut`` says that the text ends inside the value.
    """

    end: int | None
    cut: bool = False


def find_opener(text: str, pos: int = 0) -> int | None:
    """The first bracket from ``pos`` on with which an object or a list begins, not prose."""
    found = _OPENER.search(text, pos)
    return None if found is None else found.start()


def span(text: str, start: int) -> Span:
    """Where the value ends that begins with the bracket at ``start``.

    Texts in it may hold quotes that nobody escaped: a quote ends a text only before what may
    follow one. A value whose brackets do not fit has no end and was not cut.
    """
    stack: list[str] = []
    pos = start
    while (found := _SIGNIFICANT.search(text, pos)) is not None:
        sign, pos = found[0], found.end()
        if sign in _QUOTES:
            if sign == "'" and not _may_begin(text, found.start()):
                continue  # an apostrophe of a text without quotes
            end = _text_end(text, pos, _QUOTES[sign])
            if end is None:
                return Span(None, cut=True)
            pos = end
        elif sign in _CLOSING:
            stack.append(_CLOSING[sign])
        elif not stack or stack.pop() != sign:
            return Span(None)
        elif not stack:
            return Span(pos)
    return Span(None, cut=True)


def _may_begin(text: str, quote: int) -> bool:
    before = text[:quote].rstrip()
    return bool(before) and before[-1] in _BEFORE_TEXT


def _text_end(text: str, pos: int, quote: str) -> int | None:
    """The offset behind the quote that ends the text which begins at ``pos``."""
    while (place := text.find(quote, pos)) >= 0:
        pos = place + 1
        if not _escaped(text, place) and _ends(text, pos):
            return pos
    return None


def _ends(text: str, pos: int) -> bool:
    follows = _NEXT.match(text, pos)
    return follows is None or follows[1] is None or follows[1] in ",:]}"


def _escaped(text: str, place: int) -> bool:
    slashes = 0
    while place > slashes and text[place - 1 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1
