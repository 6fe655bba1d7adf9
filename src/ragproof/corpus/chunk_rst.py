"""Headings of reStructuredText: lines over or under a title, in levels by first use."""

import re
from collections.abc import Iterator

from ragproof.corpus.blocks import Block, Kind, indented_groups
from ragproof.corpus.chunk_sections import Heading, section_blocks, sections

_ADORNMENT = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}[ \t\r]*$", re.MULTILINE)


def rst_blocks(text: str) -> Iterator[Block]:
    """The sections of a document in reStructuredText."""
    return section_blocks(
        text,
        sections(text, _headings(text)),
        lambda section: indented_groups(
            text, section.body, section.end, section.headings, Kind.PROSE
        ),
    )


def _headings(text: str) -> Iterator[Heading]:
    levels: dict[tuple[str, bool], int] = {}
    free = 0  # where the last heading ended: its lines belong to no other
    for match in _ADORNMENT.finditer(text):
        title_start = text.rfind("\n", 0, max(match.start() - 1, 0)) + 1
        title = text[title_start : max(match.start() - 1, 0)].strip()
        width = match.end() - match.start()
        if title_start < free or not title or len(title) > 2 * width:
            continue
        over_start = text.rfind("\n", 0, max(title_start - 1, 0)) + 1
        over = _ADORNMENT.fullmatch(text, over_start, max(title_start - 1, 0))
        has_over = over is not None and over[1] == match[1] and over_start >= free
        indented = text[title_start].isspace()
        follows_text = not has_over and text[over_start : max(title_start - 1, 0)].strip()
        if _ADORNMENT.fullmatch(title) or (indented and not has_over) or follows_text:
            continue
        level = levels.setdefault((match[1], has_over), len(levels) + 1)
        free = match.end()
        yield Heading(over_start if has_over else title_start, free, level, title)
