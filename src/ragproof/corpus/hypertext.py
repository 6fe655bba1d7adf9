"""HTML as text: what is read on the page, with its structure as Markdown has it."""

import re
from html.parser import HTMLParser

from ragproof.corpus.decode import decode
from ragproof.corpus.extracted import Extracted
from ragproof.corpus.markup import render
from ragproof.corpus.tree import Node, close, open_node

_LEFT_OUT = frozenset(
    [
        *("audio", "canvas", "datalist", "iframe", "math", "nav", "noscript", "object", "script"),
        *("select", "style", "svg", "template", "textarea", "video"),
    ]
)
_VOID = frozenset(
    [
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    ]
)
_SECTION_MARK = re.compile(r"<!\[(?!CDATA\[)")


def extract(raw: bytes) -> Extracted:
    """The text of a page.

    Raises:
        UnreadableError: its bytes are not text.
    """
    source, warnings = decode(raw)
    found = read_html(source)
    return found._replace(warnings=warnings + found.warnings)


def read_html(source: str) -> Extracted:
    """The text of a page in HTML; menus, scripts and styles are left out."""
    builder = _Builder()
    # Word's conditional sections: the parser knows a few of their words and fails at others.
    builder.feed(_SECTION_MARK.sub("<! [", source))
    builder.close()
    warnings = tuple(
        f"<{tag}> is never closed: all that follows it is left out" for tag in builder.left_open
    )
    return Extracted(render(builder.root, builder.title), (), warnings)


class _Builder(HTMLParser):
    """Makes a tree of what is not left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("html")
        self._title: list[str] = []
        self._open = [self.root]
        self._hidden: list[str] = []
        """Elements that are left out with all they hold, outermost first."""
        self._in_title = False

    @property
    def title(self) -> str:
        return " ".join("".join(self._title).split())

    @property
    def left_open(self) -> list[str]:
        """What is left out and has no end."""
        return self._hidden[:1]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._in_title = tag == "title" and not self._title and not self._hidden
        if tag in _VOID or tag == "title":
            if not self._hidden and tag in ("br", "hr"):
                self._open[-1].children.append(Node(tag))
        elif tag in _LEFT_OUT:
            self._hidden.append(tag)
        elif not self._hidden:
            open_node(self._open, tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)
        # Any other, as in XHTML, holds nothing.

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif not self._hidden:
            close(self._open, tag)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title.append(data)
        elif not self._hidden:
            self._open[-1].children.append(data)
