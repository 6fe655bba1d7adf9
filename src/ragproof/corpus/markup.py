"""A tree of elements as text with Markdown's marks."""

import re
from collections.abc import Iterable, Iterator

from ragproof.corpus.tree import Node

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_PLAIN_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "html",
        "legend",
        "main",
        "p",
        "search",
        "section",
        "summary",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
    ]
)
_BLOCKS = _PLAIN_BLOCKS | _LISTS | {"li", "table", "pre", "hr", *_HEADINGS}
_NO_CELL = _LISTS | {"table", "pre", *_HEADINGS}
_SPACE = re.compile(r"[ \t\n\f\r]+")
_TICKS = re.compile(r"`{3,}")
_PIPE = re.compile(r"(?<!\\)\|")


def render(root: Node, title: str = "") -> str:
    """The text of a page, its blocks divided by blank lines; with its title where it has no
    heading of the first level."""
    blocks = list(_blocks(root))
    if title and not any(block.startswith("# ") for block in blocks):
        blocks.insert(0, f"# {title}")
    return "\n\n".join(blocks) + "\n" if blocks else ""


def table_lines(rows: Iterable[list[str]]) -> str:
    """Rows of cells between ``|``, the first one divided from the others; as wide as the
    widest row."""
    filled = [[_cell(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    width = max(map(len, filled), default=0)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in filled]
    if len(lines) > 1:
        lines.insert(1, f"|{' --- |' * width}")
    return "\n".join(lines)


def fenced(code: str) -> str:
    """Code between lines of more backticks than stand in it."""
    fence = "`" * max([2, *map(len, _TICKS.findall(code))]) + "`"
    return f"{fence}\n{code}\n{fence}"


def _blocks(node: Node) -> Iterator[str]:
    line: list[str] = []
    for child in node.children:
        if isinstance(child, str) or not _is_block(child):
            line.append(_inline(child))
            continue
        yield from _paragraph(line)
        line = []
        yield from _block(child)
    yield from _paragraph(line)


def _block(node: Node) -> Iterator[str]:
    if node.tag in _HEADINGS:
        if text := _flat(node):
            yield _HEADINGS[node.tag] + text
    elif node.tag == "pre":
        code = _verbatim(node).strip("\n").expandtabs()
        if code.strip():
            yield fenced(code)
    elif node.tag in _LISTS:
        if text := "\n".join(_items(node)):
            yield text
    elif node.tag == "table":
        yield from _table(node)
    elif node.tag != "hr":
        yield from _blocks(node)


def _paragraph(line: list[str]) -> Iterator[str]:
    lines = (_SPACE.sub(" ", part).strip() for part in "".join(line).split("\v"))
    if text := "\n".join(filter(None, lines)):
        yield text


def _items(node: Node) -> Iterator[str]:
    """The items of a list; what stands in it beside items counts as one."""
    number = 0
    for child in node.children:
        if isinstance(child, str):
            blocks = list(_paragraph([child]))
        elif child.tag in _LISTS:
            blocks = ["\n".join(_items(child))]
        else:
            blocks = list(_blocks(child) if child.tag == "li" else _block_or_line(child))
        if not any(blocks):
            continue
        number += 1
        mark = f"{number}. " if node.tag == "ol" else "- "
        body = "\n".join(blocks).replace("\n", "\n" + " " * len(mark))
        yield mark + body


def _block_or_line(node: Node) -> Iterator[str]:
    return _block(node) if _is_block(node) else _paragraph([_inline(node)])


def _table(node: Node) -> Iterator[str]:
    """A table of plain cells as lines; one that lays out a page as the blocks in it."""
    if _holds(node, _NO_CELL):
        yield from _blocks(node)
        return
    rows: list[list[str]] = []
    for each in _rows(node):
        if isinstance(each, Node) and each.tag == "tr":
            rows.append([_flat(cell) for cell in each.children if _is_cell(cell)])
        elif isinstance(each, Node):
            yield from _blocks(each)
        else:
            yield from _paragraph([each])
    if text := table_lines(rows):
        yield text


def _rows(node: Node) -> Iterator[Node | str]:
    for child in node.children:
        if isinstance(child, Node) and child.tag in ("thead", "tbody", "tfoot"):
            yield from _rows(child)
        else:
            yield child


def _cell(text: str) -> str:
    return _PIPE.sub(r"\\|", " ".join(text.split()))


def _holds(node: Node, tags: frozenset[str]) -> bool:
    return any(
        isinstance(child, Node) and (child.tag in tags or _holds(child, tags))
        for child in node.children
    )


def _is_block(node: Node) -> bool:
    return node.tag in _BLOCKS or (node.tag not in ("br", "code") and _holds(node, _BLOCKS))


def _inline(node: Node | str) -> str:
    """Text of a line; ``\\v`` where it is broken."""
    if isinstance(node, str):
        return node.replace("\v", " ")
    if node.tag == "br":
        return "\v"
    return "".join(map(_inline, node.children))


def _is_cell(node: Node | str) -> bool:
    """Whatever stands in a row, be it a stray text."""
    return isinstance(node, Node) or not node.isspace()


def _flat(node: Node | str) -> str:
    """All text in one line, the parts of blocks apart."""
    if isinstance(node, str):
        return " ".join(node.split())
    return _SPACE.sub(" ", "".join(_apart(node)).replace("\v", " ")).strip()


def _apart(node: Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.tag in _BLOCKS or child.tag == "br":
            yield " "
            yield from _apart(child)
            yield " "
        else:
            yield from _apart(child)


def _verbatim(node: Node) -> str:
    return "".join(
        child if isinstance(child, str) else "\n" if child.tag == "br" else _verbatim(child)
        for child in node.children
    )
