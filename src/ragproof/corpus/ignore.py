"""Patterns as in ``.gitignore``.

They are matched part by part and never by backtracking: such files come with pull requests,
and a pattern of many stars must not take for ever.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

_ANY_DEPTH = "**"
_ESCAPED_SLASH = re.compile(r"(?<=[^\\])\\/")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_Token = str | None
"""A regular expression for one character, or ``None`` for a star."""


class Pattern(NamedTuple):
    """One line. ``negated``: what matches is not ignored after all; ``folders``: only folders
    match. ``parts`` are matched with the parts of a path seen from where the pattern stands."""

    parts: tuple[str, ...]
    negated: bool
    folders: bool

    def matches(self, path: tuple[str, ...], *, folder: bool) -> bool:
        """Whether it matches this very path (what lies inside a folder is not asked for)."""
        return (folder or not self.folders) and _matches(self.parts, path)


Patterns = tuple[Pattern, ...]
"""The last one that matches decides."""


def parse_patterns(lines: Iterable[str]) -> Patterns:
    """The patterns of all lines that are neither empty nor comments nor malformed."""
    return tuple(filter(None, map(_parse, lines)))


def verdict(patterns: Patterns, path: tuple[str, ...], *, folder: bool) -> bool | None:
    """Whether a path is ignored; ``None`` where no pattern matches. The last one decides."""
    for pattern in reversed(patterns):
        if pattern.matches(path, folder=folder):
            return not pattern.negated
    return None


def verdict_within(patterns: Patterns, path: tuple[str, ...]) -> bool:
    """Whether a file is meant by patterns, be it by one that matches a folder it lies in."""
    return any(
        verdict(patterns, path[:depth], folder=depth < len(path))
        for depth in range(1, 1 + len(path))
    )


def _parse(line: str) -> Pattern | None:
    line = normalize("NFC", line.rstrip("\r\n"))
    if line.startswith("#"):
        return None
    while line.endswith(" ") and not _escaped(line, len(line) - 1):
        line = line[:-1]
    negated = line.startswith("!")
    line = line.removeprefix("!") if negated else line
    line = _ESCAPED_SLASH.sub("/", line)
    folders = line.endswith("/")
    line = line.removesuffix("/")
    anchored = "/" in line
    parts = tuple(
        _ANY_DEPTH if len(part) > 1 and not part.strip("*") else part
        for part in line.removeprefix("/").split("/")
    )
    if not all(parts) or any(_segment(part) is None for part in parts):
        return None
    if not anchored:
        parts = (_ANY_DEPTH, *parts)
    if parts[-1] == _ANY_DEPTH and len(parts) > 1:
        parts = (*parts, "*")  # all that is inside, and not the folder itself
    return Pattern(parts, negated, folders)


def _escaped(line: str, place: int) -> bool:
    before = line[:place]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _matches(parts: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Greedy with one way back, to the last ``**``: as many steps as parts times parts."""
    part = name = 0
    back: tuple[int, int] | None = None
    while name < len(path):
        if part < len(parts) and parts[part] == _ANY_DEPTH:
            back = (part, name)
            part += 1
        elif part < len(parts) and _fits(parts[part], path[name]):
            part, name = part + 1, name + 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            part, name = back[0] + 1, back[1]
        else:
            return False
    return all(rest == _ANY_DEPTH for rest in parts[part:])


def _fits(part: str, name: str) -> bool:
    expression = _segment(part)
    return expression is not None and expression.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def _segment(part: str) -> re.Pattern[str] | None:
    """A regular expression for a part without slashes; ``None`` where the part is malformed.

    What follows a star is taken at its first place for good, which never misses a match and
    leaves nothing to try again.
    """
    tokens = _tokens(part)
    if tokens is None:
        return None
    pieces: list[list[str]] = [[]]
    for token in tokens:
        if token is None:
            pieces.append([])
        else:
            pieces[-1].append(token)
    first, *middle = ["".join(piece) for piece in pieces]
    last = f".*{middle.pop()}" if middle else ""
    try:
        return re.compile(
            first + "".join(f"(?>.*?{piece})" for piece in middle if piece) + last, re.DOTALL
        )
    except (re.error, OverflowError):
        return None


def _tokens(part: str) -> list[_Token] | None:
    tokens: list[_Token] = []
    place = 0
    while place < len(part):
        character = part[place]
        place += 1
        if character == "*":
            tokens.append(None)
        elif character == "?":
            tokens.append(".")
        elif character == "[":
            bracket, place = _bracket(part, place)
            if bracket is None:
                return None
            tokens.append(bracket)
        elif character == "\\":
            if place == len(part):
                return None
            tokens.append(re.escape(part[place]))
            place += 1
        else:
            tokens.append(re.escape(character))
    return tokens


def _bracket(part: str, place: int) -> tuple[str | None, int]:
    """The expression for what follows ``[``, and where it ends."""
    negated = part[place : place + 1] in ("!", "^")
    place += negated
    inside: list[str] = []
    first = True
    while first or part[place : place + 1] != "]":
        first = False
        if place >= len(part):
            return None, place
        if part.startswith("[:", place) and (end := part.find(":]", place)) > 0:
            name = part[place + 2 : end]
            if name not in _CLASSES:
                return None, place
            inside.append(_CLASSES[name])
            place = end + 2
            continue
        low, place = _member(part, place)
        if part[place : place + 1] == "-" and part[place + 1 : place + 2] not in ("]", ""):
            high, place = _member(part, place + 1)
            if low <= high:
                inside.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            inside.append(re.escape(low))
    if not inside:
        return (".", place + 1) if negated else ("(?!)", place + 1)
    return f"[{'^' if negated else ''}{''.join(inside)}]", place + 1


def _member(part: str, place: int) -> tuple[str, int]:
    if part[place] == "\\" and place + 1 < len(part):
        place += 1
    return part[place], place + 1
