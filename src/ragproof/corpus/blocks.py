"""Blocks: what in a document belongs together, from sections down to paragraphs."""

import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from ragproof.graphemes import joined

_SPACE = re.compile(r"\s*")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_CLOSER = re.compile(r"[\])}]|end\b")


class Kind(Enum):
    """How a block is divided that is too long."""

    PROSE = auto()
    """At the ends of sentences."""
    LINES = auto()
    """At the ends of lines: code, tables, markup."""


class Block(NamedTuple):
    """A part of a document that stays whole where it fits.

    ``headings`` are those above it, outermost first, its own included; ``opens`` says that a
    section begins with it, ``leads`` that it is little without what follows. ``inner`` gives
    the blocks it consists of.
    """

    start: int
    end: int
    kind: Kind = Kind.PROSE
    headings: tuple[str, ...] = ()
    opens: bool = False
    leads: bool = False
    inner: "Callable[[], Iterator[Block]] | None" = None


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends; empty where it holds nothing else.

    A space stays that is seen as one with what it stands beside.
    """
    first = skip_space(text, start, end)
    last = end
    while last > first and text[last - 1].isspace():
        last -= 1
    return first, last + 1 if last < end and joined(text, last) else last


def skip_space(text: str, start: int, end: int) -> int:
    """The first place from ``start`` on where no white space stands; ``end`` if there is none."""
    match = _SPACE.match(text, start, end)
    first = match.end() if match else start
    return first - 1 if start < first < end and joined(text, first) else first


def skip_blank_lines(text: str, start: int, end: int) -> int:
    """The beginning of the first line from ``start`` on that is not blank; ``end`` if none is."""
    first = skip_space(text, start, end)
    return first if first == end else max(start, text.rfind("\n", start, first) + 1)


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """As :func:`trim`, but the indentation of the first line stays."""
    first, last = trim(text, start, end)
    if first == last:
        return first, last
    return max(start, text.rfind("\n", start, first) + 1), last


def paragraphs(
    text: str, start: int, end: int, headings: tuple[str, ...] = (), kind: Kind = Kind.PROSE
) -> Iterator[Block]:
    """Blocks between blank lines. Those that end with a colon lead on to what follows."""
    place = start
    while place < end:
        match = _BLANK_LINES.search(text, place, end)
        stop = match.start() if match else end
        shape = trim if kind is Kind.PROSE else whole_lines
        first, last = shape(text, place, stop)
        if first < last:
            yield Block(first, last, kind, headings, leads=text[last - 1] in ":：")
        place = match.end() if match else end


def indented_groups(
    text: str, start: int, end: int, headings: tuple[str, ...] = (), kind: Kind = Kind.LINES
) -> Iterator[Block]:
    """Blocks between blank lines, each with the indented ones that follow: whole functions of
    source code, directives with their content."""
    group: list[Block] = []
    for block in paragraphs(text, start, end, headings, Kind.LINES):
        if group and not (text[block.start].isspace() or _CLOSER.match(text, block.start)):
            yield _grouped(group, kind)
            group = []
        group.append(block)
    if group:
        yield _grouped(group, kind)


def _grouped(group: list[Block], kind: Kind) -> Block:
    first, last = group[0], group[-1]
    parts = [block._replace(kind=kind) for block in group]
    if len(parts) == 1:
        return parts[0]
    return Block(
        first.start,
        last.end,
        kind,
        first.headings,
        leads=last.leads,
        inner=lambda: iter(parts),
    )
