"""Texts compared by small parts, which works alike in every language.

A word is seen as its runs of four letters, so that forms of a word and compounds share most of
them; a run of a script without spaces is seen as its pairs of characters.
"""

import re
import unicodedata
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

from ragproof.scoring.text import unicode_tokens

_WORD_PART = 4
# Of these scripts unicode_tokens makes one token a character (and its marks).
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U000323af]"
)
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def parts(text: str) -> list[str]:
    """The parts of a text by which it is found and compared, in order, repeats included."""
    found: list[str] = []
    run: list[str] = []
    for token in unicode_tokens(text):
        if _SPACELESS.match(token):
            run.append(token)
            continue
        _pairs(run, found)
        size = len(token)
        if size <= _WORD_PART:
            found.append(token)
        else:
            found += [token[at : at + _WORD_PART] for at in range(size - _WORD_PART + 1)]
    _pairs(run, found)
    return found


def _pairs(run: list[str], found: list[str]) -> None:
    if len(run) == 1:
        found.append(run[0])
    found += map("".join, pairwise(run))
    run.clear()


def is_spaceless(text: str) -> bool:
    """Whether the text holds a character of a script that is written without spaces."""
    return _SPACELESS.search(text) is not None


def coverage(text: str, of: str) -> float:
    """Which share of the parts of ``text`` stand in ``of`` as well; 0 of an empty text."""
    own = set(parts(text))
    return len(own & set(parts(of))) / len(own) if own else 0.0


def numbers(text: str) -> set[str]:
    """The numbers in a text, without the marks that group digits."""
    grouped = re.sub("[\u00a0\u2009\u202f’]", "'", text)  # NFKC makes plain spaces of these
    found = re.findall(r"\d(?:[\d.,']*\d)?", unicodedata.normalize("NFKC", grouped))
    return {re.sub(r"\D", "", one) for one in found}


def similarity(one: Collection[str], other: Collection[str]) -> float:
    """Jaccard similarity of two sets of parts."""
    mine, yours = set(one), set(other)
    return len(mine & yours) / len(mine | yours) if mine or yours else 1.0


_TYPOGRAPHY = str.maketrans(
    dict.fromkeys('"`´‘’‚‛“”„‟«»‹›′″「」『』', "'") | dict.fromkeys("‐‑‒–—―−", "-")
)
"""Quotation marks and dashes, which models copy as they like."""


class Span(NamedTuple):
    """Where something stands in a text."""

    start: int
    end: int


def find_quote(quote: str, text: str) -> Span | None:
    """Where a quote stands in a text, whatever white space, Unicode form, quotation marks and
    dashes it was written with. What counts is what the span holds, the words of the text.
    """
    start = text.find(quote)
    if start >= 0 and quote.strip():
        return Span(start, start + len(quote))
    wanted = _squeezed(quote)[0]
    if not wanted:
        return None
    squeezed, places = _squeezed(text)
    at = squeezed.find(wanted)
    if at < 0:
        return None
    return Span(places[at][0], places[at + len(wanted) - 1][1])


def _squeezed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without white space and invisible characters, in NFKC, with the place in ``text``
    of each character. Composed piece by piece: a letter together with its marks."""
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    at, size = 0, len(text)
    while at < size:
        end = at + 1
        while end < size and _joins(text[end]):
            end += 1
        piece = _INVISIBLE.sub("", text[at:end])
        plain = "".join(unicodedata.normalize("NFKC", piece).split()).translate(_TYPOGRAPHY)
        letters.append(plain)
        places += [(at, end)] * len(plain)
        at = end
    return "".join(letters), places


def _joins(char: str) -> bool:
    """Whether a character can become one with the letter before: marks, and jamo of Hangul."""
    return char >= "\u0300" and (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or "\u1160" <= char <= "\u11ff"
        or "\uff9e" <= char <= "\uff9f"
        or _INVISIBLE.match(char) is not None
    )
