"""Normalisation and tokenisation of texts that are compared.

Two rules make tokens: SQuAD's, which published English figures are made with, and a
Unicode rule for every other language. :func:`rule_for` says which applies to a case.
"""

import re
import string
import unicodedata
from enum import StrEnum

_ARTICLES = frozenset({"a", "an", "the"})
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = string.punctuation.encode("ascii")
_ASCII_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")

_WORD_BYTES = (string.ascii_lowercase + string.digits).encode()
_ASCII_WORDS = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_ASCII_SPACES = bytes(0x20 if chr(code).isspace() else code for code in range(128)).ljust(256)

# Blocks of scripts written without spaces. Their punctuation is gone before they are looked at.
_SOUTH_EAST_ASIAN = (  # Thai and Lao, Myanmar, Khmer, Myanmar extended (two)
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
)
_EAST_ASIAN = (  # kana, bopomofo and Han with their repeat marks, extensions and radicals
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U000323af"
)
_SPACELESS = _EAST_ASIAN + "".join(f"{chr(first)}-{chr(last)}" for first, last in _SOUTH_EAST_ASIAN)
_MARKS = "\u0300-\u036f\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MARKS += "".join(
    chr(code)
    for first, last in _SOUTH_EAST_ASIAN
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)).startswith("M")
)
_UNICODE_TOKEN = re.compile(f"[{_SPACELESS}][{_MARKS}]*|[^ {_SPACELESS}]+")

_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")

_LATIN_NAMES = ("LATIN ", "MODIFIER LETTER ")


class Rule(StrEnum):
    """How a case's texts become tokens."""

    SQUAD = "squad"
    UNICODE = "unicode"


def rule_for(reference: str, language: str | None = None) -> Rule:
    """The rule for a case: it looks at the case alone, never at what the endpoint said.

    A ``language`` that starts with ``en`` means SQuAD's rule, any other the Unicode
    rule. Without one, the SQuAD rule applies where ``reference`` has no letter
    outside the Latin script.
    """
    if language:
        return Rule.SQUAD if language.casefold().startswith("en") else Rule.UNICODE
    return Rule.SQUAD if _is_latin(reference) else Rule.UNICODE


def squad_tokens(text: str) -> list[str]:
    """Tokens of SQuAD's official evaluation script (v1.1 and v2.0).

    Lower case, ASCII punctuation deleted (no other), English articles removed,
    split at white space.
    """
    lowered = text.lower()
    if lowered.isascii():
        words = lowered.encode("ascii").translate(None, _PUNCTUATION).decode("ascii").split()
    else:
        words = _ASCII_PUNCTUATION.sub("", lowered).split()
    if not "".join(words).isalnum():
        # Only here can an article end inside a word: at a control character, or at a dash
        # or quote that is not ASCII.
        words = _ARTICLE.sub(" ", " ".join(words)).split()
    return [word for word in words if word not in _ARTICLES]


def unicode_tokens(text: str) -> list[str]:
    """Tokens for any language.

    NFKC and case folding; punctuation, symbols and controls of Unicode's categories
    separate tokens, format characters (soft hyphen, joiners) vanish. A character of a
    script written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar) is a token of
    its own, together with its combining marks.
    """
    separated = text.translate(_SEPARATED)
    if separated.isascii():
        return separated.lower().split()
    folded = unicodedata.normalize("NFKC", separated).casefold()
    return _UNICODE_TOKEN.findall(unicodedata.normalize("NFKC", folded))


def rouge_tokens(text: str) -> list[str]:
    """Tokens of Google's ``rouge_score``, unstemmed: ``[a-z0-9]+`` of the lower-cased text."""
    return text.lower().encode("ascii", "replace").translate(_ASCII_WORDS).decode("ascii").split()


def normalise_quote(text: str) -> str:
    """Text in the form in which verbatim quotes are looked for.

    NFKC, runs of white space made one space, none at the ends; zero-width characters,
    bidirectional controls and soft hyphens removed. Case is kept.
    """
    if not text.isascii():
        return " ".join(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).split())
    # Half the time of split and join: every chunk of every case comes through here.
    text = text.encode("ascii").translate(_ASCII_SPACES).decode("ascii").strip()
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def fold(text: str) -> str:
    """Text in the form in which markers are looked for: as for quotes, and without case."""
    return normalise_quote(text).casefold()


def _is_latin(text: str) -> bool:
    if text.isascii():
        return True
    # The micro sign is of no script, though NFKC makes it a Greek letter.
    letters = set(filter(str.isalpha, unicodedata.normalize("NFKC", text.replace("µ", ""))))
    return all(unicodedata.name(letter, "").startswith(_LATIN_NAMES) for letter in letters)


class _Separated(dict[int, str]):
    """Translation table from characters to what they bring to a token, filled on demand."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        # A spacing accent, often typed for an apostrophe, would leave its combining mark.
        plain = " " if unicodedata.category(char) == "Sk" else unicodedata.normalize("NFKC", char)
        self[code] = result = "".join(map(_separated, plain))
        return result


def _separated(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cf":
        return ""
    return " " if category == "Cc" or category[0] in "PSZ" else char


_SEPARATED = _Separated()
