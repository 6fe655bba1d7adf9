"""Whether an answer declines: says that it does not know, or will not say.

Lack of information and refusal for safety count alike. The rule, made for precision:

- Only the first two sentences count, and of these the first 600 characters.
- A phrase must say that the speaker cannot or will not answer ("I'm unable to"), or that
  speaker or sources lack the information ("I don't know", "the documents do not mention").
  Regret alone ("Sorry for the delay") is none, nor is a negation that is the answer
  ("You cannot return wet tents", "There is no fee").
- A phrase in quotation marks does not count, nor one right behind "if" or "when", nor lack of
  information that the same sentence takes back ("..., but it says that Y is 5 EUR").
- An empty answer declines.
"""

import re
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from ragproof.scoring.phrases.eastern import EASTERN
from ragproof.scoring.phrases.english import ENGLISH
from ragproof.scoring.phrases.northern import NORTHERN
from ragproof.scoring.phrases.western import WESTERN
from ragproof.scoring.text import normalise_quote

EMPTY = "(empty answer)"

_CHARACTERS = 600
_SENTENCES = 2

_THINKING = ("<think>", "</think>")
_STRAIGHT = str.maketrans(dict.fromkeys("‘’ʼ`", "'"))
_SENTENCE_END = re.compile(r"[.!?](?=[\s\[])|[。]")
_MARKUP = " *_#>-(["
_QUOTES = "\"'“”„«»「」"
_GAP = re.compile(r"<(\d)>")

_WHOLE = re.compile(
    r"\W*(?:answer: )?(?:unknown|unanswerable|n/a|idk|dunno|no (?:answer|idea)|not (?:found"
    r"|specified|mentioned|stated|answerable|known|in (?:the )?(?:context|documents?|sources?)))\W*"
)
_CONDITION = re.compile(
    r" (?:if|when|whenever|unless|until|where|wenn|falls|sofern|si|cuando|se|quando|als|indien"
    r"|если|когда)$"
)
_TAKEN_BACK = re.compile(
    r"[,;]? (?:but|though|although|however|yet|aber|jedoch|sondern|mais|cependant|pero|mas|porém|ma"
    r"|però|maar|men|ale|но|однако)\b,? (?!(?:i(?! (?:know|think|believe|found|can (?:tell"
    r"|say))\b)|we|you|please|feel|if|let|perhaps|ich|sie|wir|bitte|je|nous|vous|puedo|puede"
    r"|por favor|posso|você|può|ik|u|jag|jeg|я|мы|вы)\b)"
)

_LANGUAGES = (ENGLISH, *WESTERN, *NORTHERN, *EASTERN)
_HINTS = tuple(
    (hint, index) for index, language in enumerate(_LANGUAGES) for hint in language.hints
)
# In ASCII texts, which most are, every hint but this one stands at the start of a word.
_SUFFIX = "n't"
_STARTS = {
    start: tuple(
        dict.fromkeys(index for other, index in _HINTS if start.startswith(other.lstrip()))
    )
    for hint, _ in _HINTS
    if hint.isascii() and hint != _SUFFIX and (start := hint.lstrip())
}


def _by_first_letter(words: Iterable[str]) -> str:
    """An alternation, longest first, in which a text is tried on few of many words."""
    grouped: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        grouped.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in grouped.items())


_START = re.compile(f" (?=({_by_first_letter(_STARTS)}))")


def _hinted_at(padded: str) -> dict[int, None]:
    """Languages, as keys, in which an ASCII text in lower case may decline."""
    found = [index for start in _START.findall(padded) for index in _STARTS[start]]
    if _SUFFIX in padded:
        found.append(0)
    return dict.fromkeys(sorted(found))


class _Patterns(NamedTuple):
    unable: re.Pattern[str]
    absent: re.Pattern[str]


def declines(answer: str) -> str | None:
    """The phrase, in lower case, that shows that ``answer`` declines, or ``None``.

    An answer that is empty, or white space, gives ``(empty answer)``. Deterministic; the
    time does not grow with the length of the answer.
    """
    opening = _opening(answer)
    if not opening:
        return EMPTY
    if len(opening) < 60 and _WHOLE.fullmatch(opening):
        return opening
    padded = f" {opening} "
    if opening.isascii():
        languages = _hinted_at(padded)
    else:
        languages = dict.fromkeys([index for hint, index in _HINTS if hint in padded])
    if not languages:
        return None
    for sentence in _SENTENCE_END.split(opening, _SENTENCES)[:_SENTENCES]:
        clause = f" {sentence.lstrip(_MARKUP)}"
        for index in languages:
            if phrase := _phrase(_compiled(index), clause):
                return phrase
    return None


def _opening(answer: str) -> str:
    answer = answer.strip()
    if answer.startswith(_THINKING[0]):
        answer = answer.partition(_THINKING[1])[2].lstrip()
    if answer[:1] in _QUOTES and answer[-1:] in _QUOTES:
        # Quoted as a whole it is an answer; a quote at the start of one is not.
        answer = answer[1:-1]
    # Normalising can shorten a text, hence the margin.
    opening = normalise_quote(answer[: 2 * _CHARACTERS]).lstrip(_MARKUP)[:_CHARACTERS].lower()
    return opening if opening.isascii() else opening.translate(_STRAIGHT)


def _phrase(patterns: _Patterns, sentence: str) -> str | None:
    for match in patterns.unable.finditer(sentence):
        if not _CONDITION.search(sentence, 0, match.start()):
            return match[0].strip()
    for match in patterns.absent.finditer(sentence):
        if _CONDITION.search(sentence, 0, match.start()):
            continue
        if not _TAKEN_BACK.search(sentence, match.end()):
            return match[0].strip()
    return None


_compiling = Lock()
_patterns: dict[int, _Patterns] = {}


def _compiled(index: int) -> _Patterns:
    patterns = _patterns.get(index)
    if patterns is None:
        # One worker compiles and the others wait; each would else do it for itself.
        with _compiling:
            patterns = _patterns.get(index)
            if patterns is None:
                language = _LANGUAGES[index]
                either = (_either(phrases, language.spaced) for phrases in language[1:3])
                patterns = _patterns[index] = _Patterns(*either)
    return patterns


def _either(phrases: Iterable[str], spaced: bool) -> re.Pattern[str]:
    """One alternation, by first letters: a word is tried on the few that can begin with it."""
    grouped: dict[str, list[str]] = {}
    for phrase in phrases:
        expanded = _GAP.sub(r"(?:[^\\s,;:]+ ){0,\1}?", phrase)
        letter = expanded[0] if expanded[0].isalpha() else ""
        grouped.setdefault(letter, []).append(expanded.removeprefix(letter))
    joined = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in grouped.items())
    return re.compile(f" (?:{joined})" if spaced else joined)
