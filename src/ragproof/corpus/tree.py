"""A tree of elements, made from tags as browsers make it: much of HTML is never closed."""

from dataclasses import dataclass, field

_DEEPEST = 100
"""Deeper elements are opened no more; their text goes to the one around them."""

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "li",
        "main",
        "menu",
        "ol",
        "p",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "ul",
    ]
)
_CLOSED_BY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # What opens: (what it closes where it is open, what it never looks beyond).
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir", "table"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "tbody": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
    "tfoot": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
    "thead": (frozenset({"thead", "tbody", "tfoot"}), frozenset({"table"})),
}
_FENCES = frozenset({"table", "td", "th"})
_PARAGRAPH = (frozenset({"p"}), frozenset({"table", "td", "th", "button", "object"}))


@dataclass(slots=True)
class Node:
    """An element with what is in it, in order: elements and texts."""

    tag: str
    children: "list[Node | str]" = field(default_factory=list)


def open_node(path: list[Node], tag: str) -> None:
    """Open an element in the innermost of ``path``, which is then the innermost."""
    if tag in _CLOSED_BY:
        _close_one(path, *_CLOSED_BY[tag])
    if tag in _BLOCKS:
        _close_one(path, *_PARAGRAPH)
    if len(path) < _DEEPEST:
        node = Node(tag)
        path[-1].children.append(node)
        path.append(node)


def close(path: list[Node], tag: str) -> None:
    """Close the innermost element of this name, if it is open; out of a cell only the table's
    own tags lead."""
    beyond = frozenset[str]() if tag in ("table", "tr", "td", "th", "tbody") else _FENCES - {tag}
    _close_one(path, frozenset({tag}), beyond)


def _close_one(path: list[Node], tags: frozenset[str], beyond: frozenset[str]) -> None:
    for place in range(len(path) - 1, 0, -1):
        tag = path[place].tag
        if tag in tags:
            del path[place:]
            return
        if tag in beyond:
            return
