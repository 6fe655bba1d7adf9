"""Filling chunks: from blocks to spans of a document that overlap."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragproof.corpus.blocks import Block, Kind, skip_space
from ragproof.corpus.chunk_split import SPACE, lines, sentence_starts, sentences, strips
from ragproof.graphemes import joined


class Unit(NamedTuple):
    """What is never divided, since it fits or cannot be.

    ``inside`` says that it goes on with what the unit before it left off, in the middle of a
    sentence or line.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    kind: Kind
    opens: bool = False
    leads: bool = False
    inside: bool = False


class Span(NamedTuple):
    """Where a chunk stands, and the headings that all of it has above it."""

    start: int
    end: int
    headings: tuple[str, ...]


def units(text: str, blocks: Iterable[Block], size: int) -> Iterator[Unit]:
    """Divide blocks as far as they must be to be no longer than ``size``."""
    for block in blocks:
        if block.end - block.start <= size:
            yield Unit(block.start, block.end, block.headings, block.kind, block.opens, block.leads)
        elif block.inner is not None:
            yield from units(text, block.inner(), size)
        else:
            yield from _divided(text, block, size)


def _divided(text: str, block: Block, size: int) -> Iterator[Unit]:
    parts = sentences if block.kind is Kind.PROSE else lines
    opens = block.opens
    for start, end in parts(text, block.start, block.end):
        if end - start <= size:
            yield Unit(start, end, block.headings, block.kind, opens)
            opens = False
            continue
        for first, last in lines(text, start, end):
            inside = False
            for one, other in _fitting(text, first, last, size):
                yield Unit(one, other, block.headings, block.kind, opens, inside=inside)
                opens, inside = False, True


def _fitting(text: str, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    if end - start <= size:
        yield start, end
    else:
        yield from strips(text, start, end, size)


def pack(text: str, found: Sequence[Unit], size: int, overlap: int) -> Iterator[Span]:
    """Fill chunks with units in their order.

    A chunk ends where the next unit has no room, or where a section begins; but sections of
    less than a quarter of ``size`` are put together. What leads on to the next unit goes with
    it. A chunk that goes on in a section repeats up to ``overlap`` characters.
    """
    first, begin = 0, found[0].start if found else 0
    while first < len(found):
        stop = _stop(found, first, begin, size)
        yield Span(begin, found[stop - 1].end, _common(found[first:stop]))
        if stop < len(found):
            earliest = max(found[stop - 1].end - overlap, found[stop].end - size, begin + 1)
            begin = _begin(text, found[first : stop + 1], earliest)
        first = stop


def _stop(found: Sequence[Unit], first: int, begin: int, size: int) -> int:
    """The number of the first unit that is not in the chunk."""
    stop = first + 1
    while stop < len(found) and found[stop].end - begin <= size:
        enough = found[stop - 1].end - begin >= size // 4
        more = found[-1].end - found[stop].start >= size // 4
        if found[stop].opens and enough and more:
            break
        stop += 1
    if stop == len(found):
        return stop
    kept = stop
    while kept > first and found[kept - 1].leads and found[kept - 1].opens >= found[stop].opens:
        kept -= 1
    fits = found[stop].end - found[kept].start <= size
    return kept if kept > first and fits else stop


def _begin(text: str, found: Sequence[Unit], earliest: int) -> int:
    """Where the chunk begins whose first new unit is the last of ``found``.

    That is the first beginning of a unit or sentence from ``earliest`` on, within the section;
    of a word or character where the new unit goes on with a sentence.
    """
    index = len(found) - 1
    following = found[index]
    while not found[index].opens and index and found[index - 1].start >= earliest:
        index -= 1
    begin = found[index].start
    if index and not found[index].opens:
        cut = found[index - 1]
        if cut.kind is Kind.PROSE:
            starts = sentence_starts(text, cut.start, cut.end, earliest)
            begin = next(starts, begin)
        if begin == following.start and following.inside:
            begin = _word_start(text, cut, max(earliest, cut.start)) or begin
    return begin


def _word_start(text: str, cut: Unit, earliest: int) -> int | None:
    """The first beginning of a word from ``earliest`` on, or of a character if there is none."""
    space = SPACE.search(text, earliest, cut.end)
    place = skip_space(text, space.start(), cut.end) if space else cut.end
    if place < cut.end and not joined(text, place, cut.start):
        return place
    while earliest < cut.end and joined(text, earliest, cut.start):
        earliest += 1
    return earliest if earliest < cut.end and not text[earliest].isspace() else None


def _common(found: Sequence[Unit]) -> tuple[str, ...]:
    """The headings that all units have above them, those apart that stand before any heading."""
    paths = [unit.headings for unit in found if unit.headings]
    if not paths:
        return ()
    first, last = min(paths), max(paths)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[:same]
