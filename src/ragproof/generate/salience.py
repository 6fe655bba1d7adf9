"""Which terms tell the documents of a corpus apart."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragproof.corpus.records import Chunk
from ragproof.generate.text import is_spaceless

_WORD = re.compile(r"[^\W_]+(?:[-'’.·_/][^\W_]+)*")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_RUN = re.compile(
    rf"[\u30a1-\u30fa\u30fc\uff66-\uff9f]{{2,}}"  # katakana: a word
    rf"|[{_HAN}]+"  # Han: words and what joins them
    r"|[\u0e00-\u0e7f]+|[\u0e80-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+"
    r"|[A-Za-z0-9][A-Za-z0-9.\-]*"
)
_JOINS = re.compile(
    "[的了是在和与及或而但这那有为以于对从到被把将由之其并也都就还又很更最每各该此不没我你他她它们"
    "个种些吗呢吧着过上下中后前时会能可要应需让使如果因所等即若且]+"
)
_LONGEST_HAN = 12
_LONGEST_PHRASE = 30
_MIN_LETTERS = 3
_MIN_SIGNS = 2


class Term(NamedTuple):
    """A term where it stands in a text. ``key`` is what it is compared by."""

    key: str
    start: int
    end: int


def terms(text: str) -> Iterator[Term]:
    """The terms of a text, in order: words, or runs of signs where no spaces part words."""
    for match in (_RUN if is_spaceless(text) else _WORD).finditer(text):
        if match[0][0] < "\u0e00" or not is_spaceless(match[0]):
            if sum(map(str.isalpha, match[0])) >= _MIN_LETTERS:
                yield Term(_key(match[0]), *match.span())
            continue
        at = match.start()
        for piece in _split(match[0]):
            start = match.string.index(piece, at)
            at = start + len(piece)
            if len(piece) >= _MIN_SIGNS:
                yield Term(_key(piece), start, at)


def _split(run: str) -> Iterator[str]:
    if not re.match(f"[{_HAN}]", run):
        # In the other scripts spaces part phrases, and only a dictionary would part words.
        yield from _clusters(run, _LONGEST_PHRASE)
        return
    for piece in filter(None, _JOINS.split(run)):
        yield from _clusters(piece, _LONGEST_HAN)


def _clusters(piece: str, longest: int) -> Iterator[str]:
    """A run in lengths that a term has, marks kept with their letters."""
    start = 0
    while start < len(piece):
        end = min(start + longest, len(piece))
        while end < len(piece) and unicodedata.category(piece[end]).startswith("M"):
            end += 1
        yield piece[start:end]
        start = end


def _key(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


class Salience:
    """In how many documents each term stands."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._documents: dict[str, set[int]] = {}
        self._uses: Counter[str] = Counter()
        numbers: dict[str, int] = {}
        for chunk in chunks:
            number = numbers.setdefault(chunk.document_id, len(numbers))
            for text in (chunk.text, *chunk.headings):
                for term in terms(text):
                    self._documents.setdefault(term.key, set()).add(number)
                    self._uses[term.key] += 1
        self._count = max(1, len(numbers))

    def weight(self, key: str) -> float:
        """How much a term tells: more the fewer documents and places it stands in."""
        documents = len(self._documents.get(key, ()))
        rare = math.log((self._count + 1) / (documents + 0.5))
        return rare + 1.0 / (1.0 + math.log1p(self._uses[key]))

    def is_common(self, key: str) -> bool:
        """Whether a term stands in so many documents that it tells next to nothing."""
        return len(self._documents.get(key, ())) * 4 > self._count and self._count > 4

    def documents_with(self, keys: Iterable[str]) -> int:
        """How many documents hold all of these terms."""
        sets = [self._documents.get(key, set()) for key in keys]
        return len(set.intersection(*sets)) if sets else self._count
