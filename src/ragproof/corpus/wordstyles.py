"""Which paragraphs of a DOCX are headings and items of lists."""

import re
from typing import Any, NamedTuple

from ragproof.corpus.wordxml import attribute, child, children, value

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_MOST_BASES = 20


class Role(NamedTuple):
    """``heading``: its level, from 1 on. ``item``: how deep in a list, from 0 on."""

    heading: int | None = None
    item: int | None = None


class Styles:
    """The styles of a document, by their ids."""

    def __init__(self, part: Any) -> None:
        """``part`` is the root of the part that holds them; ``None`` where there is none."""
        self._styles = {attribute(style, "styleId"): style for style in children(part, "w:style")}

    def role(self, paragraph: Any) -> Role:
        """What a paragraph is, by its own properties or those of its styles."""
        properties = child(paragraph, "w:pPr")
        heading, item = _level(value(properties, "w:outlineLvl")), _item(properties)
        name = value(properties, "w:pStyle")
        for _ in range(_MOST_BASES):
            style = self._styles.get(name) if name else None
            if style is None:
                break
            named = value(style, "w:name") or ""
            own = child(style, "w:pPr")
            if heading is None and (match := _HEADING.fullmatch(named)):
                heading = int(match[1])
            if heading is None:
                heading = 1 if named.lower() == "title" else _level(value(own, "w:outlineLvl"))
            item = _item(own) if item is None else item
            name = value(style, "w:basedOn")
        if (
            heading is None
            and name
            and (match := _HEADING.fullmatch(name.replace("Heading", "Heading ")))
        ):
            heading = int(match[1])  # a document without styles that still names one
        return Role(heading if heading else None, item if item is not None and item >= 0 else None)


def _level(text: str | None) -> int | None:
    """Levels count from 0; the ninth is body text, here 0."""
    if text is None or not text.isdecimal():
        return None
    return int(text) + 1 if int(text) < 9 else 0


def _item(properties: Any) -> int | None:
    """-1 where a list is turned off."""
    numbering = child(properties, "w:numPr")
    number = value(numbering, "w:numId")
    if number is None:
        return None
    level = value(numbering, "w:ilvl") or "0"
    return -1 if number == "0" else min(int(level), 8) if level.isdecimal() else 0
