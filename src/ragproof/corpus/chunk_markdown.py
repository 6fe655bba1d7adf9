"""The structure of Markdown: sections by a look at its lines, blocks by markdown-it-py.

Only what stands in sections that are too long for a chunk is parsed, so most of a corpus
never is, and a document is never parsed as a whole.
"""

import re
from collections.abc import Iterator

from ragproof.corpus.blocks import Block, Kind, trim
from ragproof.corpus.chunk_sections import Heading, section_blocks, sections

_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\n){0,200}?\1[ \t]*(?:\r?\n|\Z)")
_LANDMARK = re.compile(
    r"^(?:(?P<marks>\#{1,6})(?:[ \t]+(?P<words>.*))?$"
    r"|(?P<weak>(?:\ {0,3}(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)+|\ {0,3})"
    r"   (?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*"
    r"|\ {0,3}<(?P<html>!--|pre\b|script\b|style\b|textarea\b)"
    r"|(?P<title>[^\s\#>`~<|+*=-].*)\n\ {0,3}(?P<under>=+|-{2,})[ \t\r]*$)",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
_FENCE_END = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+[ \t\r]*$")
_LIST_ITEM = re.compile(r"[0-9]{1,9}[.)][ \t]")
_LONGEST_FENCE = 16
"""Longer fences count as this long, so that there are not too many to look for."""


def markdown_blocks(text: str, *, front_matter: bool = True) -> Iterator[Block]:
    """The sections of a document in Markdown, which may begin with settings."""
    from ragproof.corpus.chunk_parse import parsed_blocks  # noqa: PLC0415 - short texts need none

    front = _FRONT_MATTER.match(text) if front_matter else None
    begin = front.end() if front else 0
    if front:
        start, end = trim(text, 0, begin)
        yield Block(start, end, Kind.LINES, opens=True)
    yield from section_blocks(
        text,
        sections(text, _headings(text, begin), begin),
        lambda section: parsed_blocks(text, section.body, section.end, section.headings),
    )


def _headings(text: str, begin: int) -> Iterator[Heading]:
    """Headings at the margin, outside fences and comments."""
    place = begin
    ends = _Ends(text)
    while match := _LANDMARK.search(text, place):
        place = match.end()
        if match["marks"]:
            words = _CLOSING_MARKS.sub("", match["words"] or "")
            yield Heading(match.start(), place, len(match["marks"]), words)
        elif match["under"]:
            if _is_title(text, match):
                level = 1 if match["under"][0] == "=" else 2
                yield Heading(match.start(), place, level, match["title"])
        elif match["html"]:
            place = ends.of_html(match["html"].lower(), place)
        else:
            place = ends.of_fence(match["fence"], place, in_list=match["weak"] != "")


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether one line stands over an underline, not the last of a paragraph over a rule."""
    before = text.rfind("\n", 0, max(match.start() - 1, 0)) + 1
    alone = not text[before : match.start()].strip()
    return alone and _LIST_ITEM.match(match["title"]) is None


class _Ends:
    """Finds where fences and comments end; what was looked for in vain is not looked for again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._absent: set[str] = set()

    def of_html(self, name: str, start: int) -> int:
        """The end of a comment or element, which may hold blank lines; without one, where it
        began: half a document is rather not a comment."""
        end = "-->" if name == "!--" else f"</{name}"
        found = None
        if end not in self._absent:
            found = re.compile(end, re.IGNORECASE).search(self._text, start)
        if found is None:
            self._absent.add(end)
        return found.end() if found else start

    def of_fence(self, fence: str, start: int, *, in_list: bool) -> int:
        """The end of a fenced block; without one the end of the text, but in a list where it
        began, since there it ends with its item."""
        wanted = fence[0] * min(len(fence), _LONGEST_FENCE)
        if wanted not in self._absent:
            for match in _FENCE_END.finditer(self._text, start):
                if match[1].startswith(wanted):
                    return match.end()
            self._absent.add(wanted)
        return start if in_list else len(self._text)
