"""Whether a repaired value says what its text says: nothing left out, made up or moved.

A library that repairs JSON guesses. It closes what was cut off, fills gaps with empty texts,
drops what it cannot place and keeps the last of two equal keys. Here each key, text, number
and word of the value must stand in the text, in order, with only punctuation in between.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNSEEN = re.compile(r"[\s\\]+")
_GAP = re.compile(r"[\"'“”‘’`,:;\[\]{}()]*")
_EMPTY = re.compile(r"""[:,\[{](?:""|'')(?=[,}\]:])""")
_UNSURE = re.compile(r"[\"']{3}")
_NUMBER = re.compile(r"[-+]?[\d.][\d._]*(?:[eE][-+]?\d+)?(?![\w.%/-])")
_MARKS = frozenset(",:;")
_STRUCTURE = re.compile(r"[\"“”{}\[\],:\n]")
_SWALLOWED = re.compile(r"[\"“”]\s*[:\"“”]|\n\s*[\"“”]\w")
_COLON = re.compile(r"[\"'“”‘’`]*:")
_QUOTES = frozenset("\"'“”‘’")
_WORDS = {True: "true", False: "false", None: "null"}
_SPELT = {"true": ("true",), "false": ("false",), "null": ("null", "none")}


def is_faithful(value: Any, text: str) -> bool:
    """Whether ``value`` is all that ``text`` says, and nothing else.

    White space and backslashes are not compared.
    """
    plain = _plain(text)
    leaves = list(_leaves(value))
    if not all(_is_clean(leaf) for leaf in leaves):
        return False
    if _signs(plain) != _signs(json.dumps(value, ensure_ascii=False)):
        return False
    if _UNSURE.search(plain) or len(_EMPTY.findall(plain)) != sum(
        leaf.value == "" for leaf in leaves
    ):
        return False
    pos = 0
    for leaf in leaves:
        end = _match(plain, pos, leaf.value)
        if end is None or (leaf.is_key and not _COLON.match(plain, end)):
            return False
        pos = end
    return _GAP.fullmatch(plain, pos) is not None


class _Leaf(NamedTuple):
    """A key, or a value that holds no others."""

    value: Any
    is_key: bool


def _leaves(value: Any) -> Iterator[_Leaf]:
    """All leaves in the order of the text."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield _Leaf(key, is_key=True)
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield _Leaf(value, is_key=False)


def _is_clean(leaf: _Leaf) -> bool:
    """Whether a text swallowed nothing that stands around it: a key, or a quote."""
    text = leaf.value
    if not isinstance(text, str):
        return True
    if (_STRUCTURE if leaf.is_key else _SWALLOWED).search(text):
        return False
    return not (text.count('"') % 2 and (text.startswith('"') or text.endswith('"')))


def _match(plain: str, pos: int, leaf: Any) -> int | None:
    """The offset behind ``leaf``, if it comes next."""
    if leaf == "":
        empty = _EMPTY.search(plain, pos)
        if empty is None or not _GAP.fullmatch(plain, pos, empty.start()):
            return None
        return empty.end()
    if isinstance(leaf, str):
        wanted = _UNSEEN.sub("", leaf)
        place = plain.find(wanted, pos) if wanted else -1
        end = place + len(wanted)
        if place < 0 or not _GAP.fullmatch(plain, pos, place) or _takes_sign(plain, place, end):
            return None
        return end
    gap = _GAP.match(plain, pos)
    start = pos if gap is None else gap.end()
    if isinstance(leaf, bool) or leaf is None:
        return _match_word(plain, start, _WORDS[leaf])
    number = _NUMBER.match(plain, start)
    if number is None or not isinstance(leaf, int | float) or not _equal(number[0], leaf):
        return None
    return number.end()


def _takes_sign(plain: str, start: int, end: int) -> bool:
    """Whether a text from ``start`` to ``end`` holds a sign that should be around or after it."""
    before, after = plain[start - 1 : start] in _QUOTES, plain[end : end + 1] in _QUOTES
    first, last = plain[start], plain[end - 1]
    if first in _QUOTES or last in _QUOTES:
        return (first in _QUOTES and not before) or (last in _QUOTES and not after)
    return (first in _MARKS or last in _MARKS) and not (before and after)


def _match_word(plain: str, start: int, word: str) -> int | None:
    for spelt in _SPELT[word]:
        end = start + len(spelt)
        if plain[start:end].lower() == spelt and not plain[end : end + 1].isalnum():
            return end
    return None


def _signs(text: str) -> tuple[int, int, int]:
    """How many brackets open and close, of any kind, and how many backticks there are."""
    opening = sum(map(text.count, "{[("))
    closing = sum(map(text.count, "}])"))
    return opening, closing, text.count("`")


def _equal(digits: str, number: float) -> bool:
    try:
        if isinstance(number, int):
            return int(digits.replace("_", "")) == number
        return float(digits) == number
    except ValueError:
        return False


def _plain(text: str) -> str:
    """``text`` with its escapes undone, without white space and backslashes."""
    return _UNSEEN.sub("", _joined(_ESCAPE.sub(_character, text)))


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _SHORT.get(escape[2], escape[2])


def _joined(text: str) -> str:
    """Pairs of surrogates, which two escapes spell, as the characters that they mean."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
