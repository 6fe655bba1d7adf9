"""The sentences of a text in any language, with their places. Only prose has sentences: headings,
tables, code and lists of links have none."""

import re
from collections.abc import Iterator

from ragproof.generate.text import Span, is_spaceless

_END = re.compile(
    r"[.!?…‼⁇⁈⁉](?:[\"'”’»)\]]|\*\*?|__?)*(?=\s)"  # needs a space behind
    r"|[。！？｡।॥؟۔።፧៖။…](?:[\"'”’」』）〉》])*"  # needs none
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|\d{1,2}|\w\.\w|etc|resp|approx|vs|cf|al|no|fig|inc|ltd|corp|dept|est|dr|mr|mrs"
    r"|ms|st|prof|gen|sen|rep|jr|sr|bzw|ca|vgl|evtl|ggf|inkl|zzgl|sog|usw|nr|abs|art|bd|hrsg|jh"
    r"|chr|mio|mrd|tel|max|min|env|av|bd|ex|pág|núm|sra?|dra?|ud|uds|ecc|pag|blz|dhr|mevr|np|tj"
    r"|tzn|itp|itd|ul|т|г|гг|др|пр|стр|рис|см)\.$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_NO_PROSE = re.compile(
    r"^\s*(?:#{1,6}\s|\||\+[-=+]+\+|[-=~^\"'*_`]{3,}\s*$|<|\[[^\]]*\]:\s|!\[|:\w+:|\.\. |@|//)"
    r"|^\s*(?:\{|\}|\$\s)|^(?: {4}|\t)"
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z]\))\s+|^\s*>\s?")
_UNDERLINE = re.compile(r"^\s*([=\-~^\"*#])\1{2,}\s*$")
_LONGEST = 400
_PIECE = 120


def sentences(text: str, *, markup: bool = True) -> Iterator[Span]:
    """The places of the sentences, in order. ``markup`` says that lines may be headings, tables or
    code as in Markdown and reStructuredText."""
    for start, end in _paragraphs(text, markup=markup):
        yield from _within(text, start, end)


def _paragraphs(text: str, *, markup: bool) -> Iterator[tuple[int, int]]:
    """Runs of lines that belong together; an item of a list begins a new one."""
    at, start = 0, -1
    for line, is_prose in _lines(text, markup=markup):
        begins = _ITEM.match(line) if markup else None
        if start >= 0 and (not is_prose or begins):
            yield start, at
            start = -1
        if is_prose and start < 0:
            start = at + (begins.end() if begins else len(line) - len(line.lstrip()))
        at += len(line)
    if start >= 0:
        yield start, at


def _lines(text: str, *, markup: bool) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is prose."""
    lines = text.splitlines(keepends=True)
    fence = ""
    for number, line in enumerate(lines):
        if not markup:
            yield line, bool(line.strip())
            continue
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = ""
            yield line, False
        elif _is_underline(lines, number):
            yield line, False
        elif opened:
            fence = opened[1]
            yield line, False
        else:
            title = _is_underline(lines, number + 1)
            yield line, bool(line.strip()) and not title and not _NO_PROSE.match(line)


def _is_underline(lines: list[str], number: int) -> bool:
    """Whether a line makes a title of the one before: of any length in Markdown, and as long as
    the title in reStructuredText, where more signs can do it."""
    if not 0 < number < len(lines) or not lines[number - 1].strip():
        return False
    match = _UNDERLINE.match(lines[number])
    longest = len(lines[number - 1].strip())
    return match is not None and (match[1] in "=-" or len(match[0].strip()) >= longest)


def _within(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for match in _END.finditer(text, start, end):
        if match.end() <= at or _goes_on(text, match, end):
            continue
        yield from _trimmed(text, at, match.end())
        at = match.end()
    yield from _trimmed(text, at, end)


def _goes_on(text: str, match: re.Match[str], end: int) -> bool:
    """Whether it ends no sentence: a small letter is behind it, or an abbreviation before."""
    following = re.compile(r"\S").search(text, match.end(), end)
    if following is not None and following[0].islower():
        return True
    if text[match.start()] != ".":
        return False
    before = text[max(0, match.start() - 12) : match.start() + 1]
    return following is not None and _ABBREVIATION.search(before) is not None


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return
    if end - start > _LONGEST and is_spaceless(text[start:end]):
        yield from _pieces(text, start, end)
    else:
        yield Span(start, end)


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    """A run without full stops, as in Thai, cut at its spaces, which part phrases there."""
    at = start
    for match in re.compile(r"\s+").finditer(text, start, end):
        if match.start() - at >= _PIECE:
            yield Span(at, match.start())
            at = match.end()
    if at < end:
        yield Span(at, end)
