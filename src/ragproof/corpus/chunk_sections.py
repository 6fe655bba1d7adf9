"""Sections: from a heading to the next, with the path of headings that leads there."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ragproof.corpus.blocks import Block, trim
from ragproof.graphemes import boundary

_LONGEST = 200
"""Characters of a heading that are kept in paths."""


class Heading(NamedTuple):
    """A heading: its span with all its marks, its level (1 is the outermost) and its words."""

    start: int
    end: int
    level: int
    words: str


class Section(NamedTuple):
    """From ``start``, where its heading stands if it has one, to ``end``; ``body`` is what
    follows the heading."""

    start: int
    body: int
    end: int
    headings: tuple[str, ...]


Body = Callable[[Section], Iterator[Block]]
"""The blocks of a section that follow its heading."""


def sections(text: str, headings: Iterable[Heading], begin: int = 0) -> Iterator[Section]:
    """Divide a text, from ``begin`` on, at its headings, which come in order."""
    path: list[tuple[int, str]] = []
    section = Section(begin, begin, begin, ())
    for heading in headings:
        yield section._replace(end=heading.start)
        while path and path[-1][0] >= heading.level:
            path.pop()
        path.append((heading.level, _kept(heading.words)))
        above = tuple(words for _, words in path if words)
        section = Section(heading.start, heading.end, heading.end, above)
    yield section._replace(end=len(text))


def _kept(words: str) -> str:
    words = " ".join(words.split())
    return words[: boundary(words, min(len(words), _LONGEST))].rstrip()


def section_blocks(text: str, found: Iterable[Section], body: Body) -> Iterator[Block]:
    """One block for each section that holds anything."""
    for section in found:
        start, end = trim(text, section.start, section.end)
        if start < end:
            yield Block(
                start,
                end,
                headings=section.headings,
                opens=True,
                leads=end <= section.body,
                inner=lambda section=section: _parts(text, section, body),  # type: ignore[misc]
            )


def _parts(text: str, section: Section, body: Body) -> Iterator[Block]:
    start, end = trim(text, section.start, section.body)
    if start < end:
        yield Block(start, end, headings=section.headings, opens=True, leads=True)
    for number, block in enumerate(body(section)):
        yield block._replace(opens=block.opens or (number == 0 and start == end))
