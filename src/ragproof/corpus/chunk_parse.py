"""Blocks of Markdown within a section, as markdown-it-py sees them."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragproof.corpus.blocks import (
    Block,
    Kind,
    paragraphs,
    skip_blank_lines,
    trim,
    whole_lines,
)

_LARGEST = 256_000
"""Characters that are parsed at once: the tokens take a hundred times their space."""
_MANY_LINES, _SHORT_LINE = 2_000, 10
"""So many lines of so few characters on average are no prose, and slow to parse."""
_PROSE = r"(?:[^\W\d_]|\*\*[^\s*]|`[^`\n])"
"""Begins no block but a paragraph, and goes on with one."""
# What needs no parser: paragraphs, fenced code and tables between blank lines at the margin.
_EASY = re.compile(
    rf"(?>(?P<prose>{_PROSE}.*(?:\n{_PROSE}.*)*)"
    r"|(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}).*\n(?:.*\n)*?(?P=fence)[`~]*[ \t\r]*"
    r"|\|.*\|[ \t\r]*\n\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t\r]*(?:\n\|.*)*)"
    r"(?=\n[ \t\r]*\n|\s*\Z)",
    re.MULTILINE,
)
_PLAIN = re.compile(rf"\n[ \t\r]*\n(?={_PROSE})")
_OPEN_ENDED = re.compile(r"^ {0,3}(?:`{3}|~{3}|<)", re.MULTILINE)
"""Goes on behind blank lines."""
_LINE_END = re.compile(r"\r\n?|\n")
_IN_LINES = {"fence", "code_block", "html_block", "table_open"}
_PARAGRAPH = {"paragraph_open", "heading_open"}


def parsed_blocks(text: str, start: int, end: int, headings: tuple[str, ...]) -> Iterator[Block]:
    """The blocks of a part of a document that begins outside any of them."""
    place = skip_blank_lines(text, start, end)
    while place < end:
        match = _EASY.match(text, place, end)
        if match:
            following = match.end()
            yield _easy(text, match, headings)
        else:
            following = _next_plain(text, place, end)
            yield from _parsed(text, place, following, headings)
        place = skip_blank_lines(text, following, end)


def _easy(text: str, match: re.Match[str], headings: tuple[str, ...]) -> Block:
    first, last = trim(text, *match.span())
    if match["prose"] is None:
        return Block(first, last, Kind.LINES, headings)
    return Block(first, last, headings=headings, leads=text[last - 1] in ":：")


def _next_plain(text: str, start: int, end: int) -> int:
    """Where a block begins for certain, whatever stands before; at the latest at the end."""
    match = _PLAIN.search(text, start, end)
    following = match.end() if match else end
    return end if _OPEN_ENDED.search(text, start, following) else following


def _parsed(text: str, start: int, end: int, headings: tuple[str, ...]) -> Iterator[Block]:
    """What the parser makes of a part; paragraphs only, where parsing takes too much."""
    lines = [start, *(match.end() for match in _LINE_END.finditer(text, start, end)), end]
    crowded = len(lines) > _MANY_LINES and end - start < _SHORT_LINE * len(lines)
    if crowded or end - start > _LARGEST:
        return paragraphs(text, start, end, headings)
    tokens = [token for token in _parser().parse(text[start:end]) if token.map]
    source = _Source(text, headings, lines, tokens)
    return source.blocks(_Part(0, len(lines) - 1, 0, len(tokens)))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Part(NamedTuple):
    """Lines from ``first`` to before ``stop``, and which tokens may stand in them."""

    first: int
    stop: int
    token: int
    last_token: int


class _Source(NamedTuple):
    """A parsed text: where its lines begin, and the tokens that know their lines, outer ones
    before those inside them."""

    text: str
    headings: tuple[str, ...]
    lines: list[int]
    tokens: list[Token]

    def blocks(self, part: _Part) -> Iterator[Block]:
        """The blocks side by side in a part; lines that belong to none are paragraphs.

        Such are the definitions of links, and what is nested too deep for the parser.
        """
        line, index = part.first, part.token
        while index < part.last_token:
            token = self.tokens[index]
            first, stop = _lines_of(token)
            following = self._after(index, part.last_token, stop)
            if first >= line and stop > first:
                yield from self._between(line, first)
                yield from self._block(token, _Part(first, stop, index + 1, following))
                line = stop
            index = following
        yield from self._between(line, part.stop)

    def _after(self, index: int, last: int, stop: int) -> int:
        """The first token after ``index`` that is not inside it."""
        return bisect_left(self.tokens, stop, index + 1, last, key=lambda t: _lines_of(t)[0])

    def _between(self, first: int, stop: int) -> Iterator[Block]:
        if first < stop:
            yield from paragraphs(self.text, self.lines[first], self.lines[stop], self.headings)

    def _block(self, token: Token, part: _Part) -> Iterator[Block]:
        start, end = self.lines[part.first], self.lines[min(part.stop, len(self.lines) - 1)]
        if token.type in _IN_LINES:
            start, end = whole_lines(self.text, start, end)
            yield Block(start, end, Kind.LINES, self.headings)
            return
        start, end = trim(self.text, start, end)
        if start == end:
            return
        if token.type in _PARAGRAPH or part.token == part.last_token:
            leads = token.type == "heading_open" or self.text[end - 1] in ":："
            yield Block(start, end, headings=self.headings, leads=leads)
        else:
            yield Block(start, end, headings=self.headings, inner=lambda: self.blocks(part))


def _lines_of(token: Token) -> tuple[int, int]:
    first, stop = token.map or (0, 0)
    return first, stop
