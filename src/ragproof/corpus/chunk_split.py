"""Dividing what is too long for a chunk: at sentences, lines, words, and last at characters."""

import re
from collections.abc import Iterator

from ragproof.corpus.blocks import skip_space, trim, whole_lines
from ragproof.graphemes import joined

# A stop that needs a space behind it, or one of a script that has none. What closes quotes
# and brackets belongs to the sentence.
_SENTENCE_END = re.compile(
    r"(?<![.!?…])[.!?…؟۔]++[\"'”’»)\]*_`]*+(?=\s)"
    r"|[。！？｡।॥።፧፨។៕။།༎༏᠃։]++[」』”’）》〉】\"')*_]*+"
)
SPACE = re.compile(r"[\s\u200b]")
_NUMBER_OR_INITIAL = re.compile(r"(?:^|[\s(\[„“\"'.])(?:[0-9]{1,2}|[A-Za-z\u00c0-\u058f])\.$")
_LINE_BREAKS = ("\n",)
_CLAUSE_ENDS = ("，", "；", "：", "、", "،", "؛", ", ", "; ", ": ", " – ", " — ")
_WORD_ENDS = (" ", "\n", "\t", "\u3000", "\u200b", "\u0f0b")


def sentence_starts(text: str, start: int, end: int, since: int | None = None) -> Iterator[int]:
    """Where sentences begin within a span, its own beginning left out.

    ``since`` is where to begin to look, if not at its beginning.
    """
    for match in _SENTENCE_END.finditer(text, start if since is None else since, end):
        following = skip_space(text, match.end(), end)
        if following >= end:
            return
        if not joined(text, following) and not _goes_on(text, start, match, following):
            yield following


def _goes_on(text: str, start: int, match: re.Match[str], following: int) -> bool:
    """Whether the stop is that of a number, an initial or an abbreviation.

    A sentence too many in one piece does no harm, one in two pieces some.
    """
    if text[following] < "\u0600" and text[following].islower():  # on every Python the same
        return True
    before = text[max(start, match.start() - 4) : match.start() + 1]
    return match[0] == "." and _NUMBER_OR_INITIAL.search(before) is not None


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a span."""
    for following in sentence_starts(text, start, end):
        yield trim(text, start, following)
        start = following
    yield trim(text, start, end)


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a span that are not blank, with their indentation."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        first, last = whole_lines(text, start, stop)
        if first < last:
            yield first, last
        start = stop + 1


def strips(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Pieces of a span without structure, most of them about a quarter of ``size`` long.

    So several fill a chunk, and some can be repeated in the next. A word that is longer stays
    whole up to ``size``; one character that is longer than that does so too.
    """
    start = skip_space(text, start, end)
    while start < end:
        cut = _cut(text, start, end, size)
        first, last = trim(text, start, cut)
        if first < last:
            yield first, last
        start = skip_space(text, cut, end)


def _cut(text: str, start: int, end: int, size: int) -> int:
    length = max(1, size // 4)
    if end - start <= length:
        return end
    latest = start + length
    for marks, earliest in (
        (_LINE_BREAKS, start + length // 2),
        (_CLAUSE_ENDS, start + length // 2),
        (_WORD_ENDS, start + 1),
    ):
        cut = max(_behind(text, mark, earliest, latest) for mark in marks)
        if cut > start and not joined(text, cut, start):
            return cut
    space = SPACE.search(text, latest, min(start + size, end) + 1)
    if space and not joined(text, space.start(), start):
        return space.start()
    return min(end, whole_characters(text, start, latest))


def _behind(text: str, mark: str, earliest: int, latest: int) -> int:
    found = text.rfind(mark, earliest, latest)
    return found + len(mark) if found >= 0 else -1


def whole_characters(text: str, start: int, latest: int) -> int:
    """The last place up to ``latest``, or if there is none the first after it, where a text may
    be cut that begins with a character at ``start``."""
    for place in range(latest, start, -1):
        if not joined(text, place, start):
            return place
    place = latest + 1
    while joined(text, place, start):
        place += 1
    return place
