r"""Texts of others, made harmless and still readable.

Each function is pure and takes the text as it is. Cut first, escape last: what is
escaped is longer than what was cut.
"""

import re
from itertools import groupby

from ragproof.graphemes import boundary

# Controls, bidirectional marks, what has no width, noncharacters and unpaired surrogates.
# Written out, not asked of unicodedata: the same text looks the same on every Python.
_HIDDEN = re.compile(
    "["
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffb\ufffe\uffff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
    + "]"
)
_FORM_SELECTORS = "\ufe0e\ufe0f"
"""Ask for the text form or the emoji form of the one character before."""

_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_TICKS = re.compile("`+")

# Words that no extension of GitHub's takes for more than words: letters, or a number.
# Letters beyond ASCII mean nothing to it. Left out are host names (www.) and whatever
# could be the hash of a commit.
_SAFE_WORD = re.compile(
    r"""["'(]*"""
    r"(?!.*www)(?!.*[0-9a-f]{7})"
    r"(?:(?:[a-z]|[^\x00-\x7f])+(?:['-](?:[a-z]|[^\x00-\x7f])+)*|[+-]?[0-9]+(?:[.,][0-9]+)*%?)"
    r"""["'),.;:!?]*""",
    re.IGNORECASE,
)
_LIST_MARKER = re.compile(r"[0-9]+[.)]")


def visible(text: str) -> str:
    r"""Show what would hide, reorder or break the text as ``\uXXXX`` or ``\u{XXXXX}``."""
    return _HIDDEN.sub(_unless_welcome, text)


def collapse(text: str) -> str:
    """One line: each run of white space is one space, none at the ends."""
    return _SPACE.sub(" ", text).strip(" ")


def cut(text: str, limit: int) -> str:
    """The first ``limit`` characters at most, never half of one that readers see as one.

    What was cut is counted behind: ``… (+1,204 characters)``.
    """
    if len(text) <= limit:
        return text
    end = boundary(text, limit)
    left = len(text) - end
    return f"{text[:end]}… (+{left:,} character{'' if left == 1 else 's'})"


def span(text: str) -> str:
    """A code span that shows the text as it is. Not for table cells: there a pipe ends it."""
    body = _neutral(collapse(text))
    if not body:
        return "(empty)"
    ticks = "`" * (_longest_run(body) + 1)
    pad = " " if "`" in (body[0], body[-1]) else ""
    return f"{ticks}{pad}{body}{pad}{ticks}"


def code(text: str) -> str:
    r"""A code span that may stand anywhere, table cells included.

    There ``\|`` is a pipe even inside code; elsewhere its backslash is seen.
    """
    return span(text).replace("|", r"\|")


def fence(text: str, info: str = "text") -> str:
    """A fenced block, lines kept. It must start at the margin. ``info`` is ours, never theirs."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    body = "\n".join(_neutral(line.expandtabs(4)) for line in lines)
    ticks = "`" * max(3, _longest_run(body) + 1)
    return f"{ticks}{info}\n{body}\n{ticks}"


def plain(text: str) -> str:
    """A sentence: harmless words as they are, everything else in code spans.

    Backslashes and entities would not do: GitHub looks for mentions, issues, commits
    and addresses in the rendered text, where both are gone again, but never in code.
    """
    words = visible(collapse(text)).split(" ")
    safe = (_is_safe(word, first=number == 0) for number, word in enumerate(words))
    runs = groupby(zip(safe, words, strict=True), key=lambda pair: pair[0])
    parts = ((harmless, " ".join(word for _, word in run)) for harmless, run in runs)
    return " ".join(part if harmless else code(part) for harmless, part in parts)


def xml_text(text: str) -> str:
    """The text with whatever XML 1.0 cannot carry made visible. Markup is not escaped."""
    return _NOT_XML.sub(_code_point, text)


def _unless_welcome(match: re.Match[str]) -> str:
    if match[0] in _FORM_SELECTORS and match.start():
        before = match.string[match.start() - 1]
        if not before.isspace() and before not in _FORM_SELECTORS:
            return match[0]
    return _code_point(match)


def _code_point(match: re.Match[str]) -> str:
    point = ord(match[0])
    return f"\\u{point:04X}" if point < 0x10000 else f"\\u{{{point:X}}}"


def _neutral(text: str) -> str:
    """Visible, and without the start of a comment.

    The comment that a pull request keeps is found by such a marker in its source,
    where being inside code is no protection.
    """
    return visible(text).replace("<!--", r"<\u0021--")


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def _is_safe(word: str, *, first: bool) -> bool:
    if first and _LIST_MARKER.fullmatch(word):
        return False
    return _SAFE_WORD.fullmatch(word) is not None
