"""One story of a DOCX (the body, a header, a note) as blocks of text."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ragproof.corpus.markup import table_lines
from ragproof.corpus.wordstyles import Styles
from ragproof.corpus.wordxml import attribute, child, children, name

_NEVER = frozenset(
    [
        *("w:del", "w:moveFrom", "w:delText", "w:instrText", "w:delInstrText", "w:fldData"),
        *("w:pPr", "w:rPr", "w:tblPr", "w:trPr", "w:tcPr", "w:sdtPr", "w:sectPr", "w:tblGrid"),
        *("w:rt", "w:rubyPr", "m:rPr", "m:ctrlPr"),
    ]
)
_FIXED = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "w:softHyphen": "",
}
_WORDS = frozenset({"w:t", "m:t", "a:t"})
_PICTURES = frozenset({"a:blip", "v:imagedata"})
_CONTENT = ("w:p", "w:tbl", "w:altChunk")
_OWN_CONTENT = frozenset({"w:p", "w:tbl", "w:tr", "w:tc"})
_PRIVATE = range(0xE000, 0xF900)


class Block(NamedTuple):
    """``mark``: what Markdown puts before it. ``item``: it is an item of a list, and follows
    other items without a blank line."""

    text: str
    mark: str = ""
    item: bool = False


class Story:
    """Makes blocks of elements. ``pictures`` and ``inserted_files`` count what is left out."""

    def __init__(self, styles: Styles) -> None:
        self.pictures = 0
        self.inserted_files = 0
        self._styles = styles

    def blocks(self, element: Any) -> Iterator[Block]:
        """The blocks inside an element, in order. Text boxes follow the paragraph they hang on."""
        begun = ""
        for each in _flattened(element):
            kind = name(each)
            if kind == "w:p":
                boxes: list[Any] = []
                begun += self._line(each, boxes)
                # Where the end of a paragraph is deleted, it goes on in the next.
                if child(each, "w:pPr", "w:rPr", "w:del") is None:
                    yield from self._paragraph(each, begun)
                    begun = ""
                for box in boxes:
                    yield from self.blocks(box)
            elif kind == "w:tbl":
                yield from self._table(each)
            else:
                self.inserted_files += 1
        if begun.strip():
            yield Block(begun.strip())

    def _paragraph(self, element: Any, line: str) -> Iterator[Block]:
        lines = "\n".join(filter(None, (part.strip() for part in line.split("\n"))))
        if not lines:
            return
        role = self._styles.role(element)
        if role.heading is not None:
            yield Block(" ".join(lines.split()), "#" * min(role.heading, 6) + " ")
        elif role.item is not None:
            indent = "  " * role.item
            yield Block(lines.replace("\n", f"\n{indent}  "), f"{indent}- ", item=True)
        else:
            yield Block(lines)

    def _table(self, table: Any) -> Iterator[Block]:
        """Rows of cells; a table of one cell, or that holds tables, lays out a page."""
        rows = [
            list(_flattened(row, "w:tc"))
            for row in _flattened(table, "w:tr")
            if child(row, "w:trPr", "w:del") is None
        ]
        cells = [cell for row in rows for cell in row]
        if len(cells) < 2 or any(True for cell in cells for _ in _flattened(cell, "w:tbl")):
            for cell in cells:
                yield from self.blocks(cell)
            return
        texts = [
            [" ".join(block.text for block in self.blocks(cell)) for cell in row] for row in rows
        ]
        if text := table_lines(texts):
            yield Block(text)

    def _line(self, element: Any, boxes: list[Any]) -> str:
        """The text of a paragraph or of a part of it."""
        parts = []
        for each in element:
            kind = name(each)
            if kind in _NEVER:
                continue
            if kind in _WORDS:
                parts.append(each.text or "")
            elif kind in _FIXED:
                parts.append(_FIXED[kind])
            elif kind == "w:sym":
                parts.append(_symbol(attribute(each, "char")))
            elif kind == "w:txbxContent":
                boxes.append(each)
            elif kind == "mc:AlternateContent":
                parts.append(self._alternative(each, boxes))
            else:
                self.pictures += kind in _PICTURES
                parts.append(self._line(each, boxes))
        return "".join(parts)

    def _alternative(self, element: Any, boxes: list[Any]) -> str:
        """The first alternative that holds anything."""
        for choice in children(element, "mc:Choice", "mc:Fallback"):
            found: list[Any] = []
            pictures = self.pictures
            line = self._line(choice, found)
            if line.strip() or found or self.pictures > pictures:
                boxes += found
                return line
        return ""


def _flattened(element: Any, *wanted: str) -> Iterator[Any]:
    """Paragraphs, tables and inserted files (or what is wanted) in an element, be it inside
    content controls, insertions and the like."""
    for each in element:
        kind = name(each)
        if kind in (wanted or _CONTENT):
            yield each
        elif kind == "mc:AlternateContent":
            yield from _flattened(next(children(each, "mc:Choice", "mc:Fallback"), ()), *wanted)
        elif kind and kind not in _NEVER and kind not in _OWN_CONTENT:
            yield from _flattened(each, *wanted)


def _symbol(code: str | None) -> str:
    """A character of a symbol font; private ones mean nothing without the font."""
    try:
        number = int(code or "", 16)
    except ValueError:
        return ""
    return "" if number in _PRIVATE or number < 0x20 or number > 0x10FFFF else chr(number)
