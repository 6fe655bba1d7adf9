"""From the bytes of a text file to its text.

A byte order mark decides, then UTF-8, then what the file itself declares, then a guess, which
is told. What comes out holds no NUL, no half of a surrogate pair, and ``\\n`` at the end of lines.
"""

import codecs
import re
from collections.abc import Iterable
from typing import NamedTuple

from ragproof.corpus.guess import guess_character_sets
from ragproof.corpus.unreadable import UnreadableError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(
    rb"<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})"
    rb"|<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})"
    rb"|^.{0,80}?coding[:=][ \t]*([\w.-]{2,40})",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 2_000
_CHARACTER_SET = re.compile(
    r"(ascii|big5|cp\d|euc|gb|hz|iso2022|iso8859|johab|koi8|kz1048|mac|ptcp154|shift|tis)"
)
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "ascii": "cp1252",
}
"""What files that declare the one are often written in; as browsers have it."""

_WIDE_ESCAPE = re.compile(rb"\x1b\$[@ABC()]")
_CONTROL = re.compile(r"[\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_SHIFTS = b"\x0e\x0f"
_RAW_CONTROL = bytes(set(range(1, 32)) - set(b"\b\t\n\v\f\r\x1b" + _SHIFTS) | {127})
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_MOST_CONTROL = 0.01
_MOST_WRONG = 0.01
_BINARY = "is binary: it is not text"


class Decoded(NamedTuple):
    """A text, and what had to be left out or guessed."""

    text: str
    warnings: tuple[str, ...] = ()


class _Read(NamedTuple):
    text: str
    name: str


def decode(raw: bytes) -> Decoded:
    """The text of a file's bytes.

    Raises:
        UnreadableError: they are not text, or in no character set that is known.
    """
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return _finish(_with_few_errors(raw[len(mark) :], name))
    zeros = raw.count(0)
    if zeros and (wide := _wide(raw)) is not None:
        return _finish(wide)
    core = raw.replace(b"\0", b"")
    if _too_much_control(core) or (zeros and _strictly(core, "utf-8") is None):
        raise UnreadableError(_BINARY)
    text, warnings = _narrow(core)
    if zeros:
        warnings += (f"{zeros} bytes that are zero are left out",)
    return _finish(Decoded(text, warnings))


def _narrow(raw: bytes) -> Decoded:
    """Of character sets that have ASCII as a part."""
    declared: tuple[str, ...] = ()
    if raw.isascii():
        # Seven bits hold Japanese, Korean and Chinese, too, between escape sequences.
        first = ["iso2022_kr", "iso2022_jp_2"] if _WIDE_ESCAPE.search(raw) else []
        first += ["hz"] if b"~{" in raw and "hz" in _declared(raw) else []
        first.append("ascii")
    elif (text := _strictly(raw, "utf-8")) is not None:
        return Decoded(text)
    else:
        first = list(declared := _declared(raw))
    if (found := _first(raw, first)) is not None:
        return Decoded(found.text)
    if _mostly_utf8(raw):
        return _with_few_errors(raw, "utf-8")
    if (found := _first(raw, guess_character_sets(raw))) is not None:
        return Decoded(found.text, (f"is not UTF-8: read as {found.name}, which is a guess",))
    if declared:
        return _with_few_errors(raw, declared[0])
    raise UnreadableError("is in no character set that could be recognised; save it as UTF-8")


def _first(raw: bytes, names: Iterable[str]) -> _Read | None:
    """What the first of these character sets makes of it that has no error."""
    for name in names:
        if (text := _strictly(raw, name)) is not None:
            return _Read(text, name)
    return None


def _finish(decoded: Decoded) -> Decoded:
    text, warnings = decoded
    if "\0" in text:
        count = text.count("\0")
        text = text.replace("\0", "")
        warnings += (f"{count} characters U+0000 are left out",)
    if not text.isascii() and _HALF_PAIR.search(text):
        text, count = _HALF_PAIR.subn("\ufffd", text)
        warnings += (f"{count} halves of surrogate pairs are shown as U+FFFD",)
    if len(text) * _MOST_CONTROL < len(_CONTROL.findall(text)):
        raise UnreadableError(_BINARY)
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), warnings)


def _strictly(raw: bytes, name: str) -> str | None:
    try:
        return raw.decode(name)
    except (UnicodeError, LookupError):
        return None


def _with_few_errors(raw: bytes, name: str) -> Decoded:
    text = raw.decode(name, "replace")
    wrong = text.count("\ufffd")
    if not wrong or (strict := _strictly(raw, name)) is not None:
        return Decoded(text if not wrong else strict or "")
    if wrong > max(1, len(text) * _MOST_WRONG):
        raise UnreadableError(f"is not the {name.upper()} that it seems to be: {wrong} errors")
    return Decoded(text, (f"{wrong} places that are not {name.upper()} are shown as U+FFFD",))


def _wide(raw: bytes) -> Decoded | None:
    """UTF-16 or UTF-32 without a mark: text for the most part below U+0100 has its zeros apart
    from its letters."""
    counts = [raw[place::4].count(0) for place in range(4)]
    quarter = len(raw) // 4 or 1
    zeros = [count / quarter > 0.3 for count in counts]  # 0.3: plane 1 and East Asian texts
    for shape, name in (
        ([False, True, True, True], "utf-32-le"),
        ([True, True, True, False], "utf-32-be"),
        ([False, True, False, True], "utf-16-le"),
        ([True, False, True, False], "utf-16-be"),
    ):
        if zeros == shape and (text := _strictly(raw, name)) is not None:
            return Decoded(text)
    return None


def _too_much_control(raw: bytes) -> bool:
    """Whether many control characters are no layout."""
    return len(raw) - len(raw.translate(None, _RAW_CONTROL)) > len(raw) * _MOST_CONTROL


def _mostly_utf8(raw: bytes) -> bool:
    text = raw.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = sum(not character.isascii() for character in text) - wrong
    return wrong * 10 <= right and wrong <= max(1, len(text) * _MOST_WRONG)


def _declared(raw: bytes) -> tuple[str, ...]:
    """Character sets that the file's head names: the one itself, then what it may stand for."""
    match = _DECLARATION.search(raw[:_DECLARED_WITHIN])
    if match is None:
        return ()
    name = next(filter(None, match.groups())).decode("ascii", "replace")
    try:
        # Names with x- are those of the time before the sets were registered.
        known = codecs.lookup(re.sub("^(x-)+", "", name.lower())).name
    except (LookupError, ValueError):
        return ()
    if not _CHARACTER_SET.match(known.replace("iso8859_", "iso8859-")):
        return ()
    wider = _WIDER.get(known)
    # The wider one differs in control characters that no text holds, and in punctuation; but
    # of those for Japanese and Chinese (Taiwan) the narrower one is the more usual reading.
    if wider in {"cp932", "big5hkscs"}:
        return known, wider
    return (wider, known) if wider else (known,)
