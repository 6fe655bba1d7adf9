"""Text as the demo sees it: terms to match, sentences to quote, orders to leave alone."""

import re
import unicodedata
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_SUFFIX = re.compile(r"(?<=...)(?:ing|ied|ies|ed|es|e|s|y)$")
_DOUBLED = re.compile(r"([^aeiou])\1$")
_ORDER = re.compile(
    r"(?:print|reply|say|respond|repeat|output|输出|回复)[^.。\n]{0,40}?"
    r"(?<![A-Za-z])(?-i:(?P<marker>[A-Z]{3,}-[A-Z]{3,}))",
    re.IGNORECASE,
)

_FUNCTION_WORDS = """
a about after all also am an and any are as at be been before by can could did do does done for
from get give given had has have how i if in into is it its long many may me much must my no not
of on one or our out please shall she he should so some than that the their them then there they
this those to too up us was we were what when where which who whom whose why will with would you
your
"""
_STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
_CJK_STOP = re.compile(
    "什么时候|为什么|什么|怎么|怎样|如何|多少|多久|多长|多大|哪里|哪些|哪个|可以|能够|需要|应该|应当"
    "|请问|几|谁|吗|呢|的|了|是|在|和|与|有|我|你|要"
)


def terms(text: str) -> list[str]:
    """The terms that count for matching, in order, stop words left out.

    Words lose their common English endings. Chinese and Japanese have no spaces,
    so every two neighbouring characters are a term.
    """
    found: list[str] = []
    for match in _RUN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        if match["cjk"]:
            for run in _CJK_STOP.sub(" ", match["cjk"]).split():
                found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        elif match[0] not in _STOP_WORDS:
            found.append(_stem(match[0]))
    return found


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return _DOUBLED.sub(r"\1", _SUFFIX.sub("", word))


def sentences(text: str) -> list[str]:
    """The sentences of a text; its headings are none."""
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    return [part for part in parts if part and not part.startswith("#")]


def is_cjk(text: str) -> bool:
    """Whether the text holds Chinese or Japanese characters."""
    return any(match["cjk"] for match in _RUN.finditer(text))


def order(text: str) -> str | None:
    """The word that the text orders its reader to say (``reply with HERON-TANGO``), if any."""
    match = _ORDER.search(text)
    return match["marker"] if match else None
