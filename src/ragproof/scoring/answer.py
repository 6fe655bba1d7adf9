"""How well an answer agrees with the expected one, word by word.

A :class:`Reference` is prepared once a case and compared with what the endpoint said.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragproof.scoring.text import Rule, rouge_tokens, rule_for, squad_tokens, unicode_tokens


class AnswerScores(NamedTuple):
    """The three scores of one answer."""

    exact_match: float
    token_f1: float
    rouge_l: float


class Reference:
    """An expected answer with the tokens that its rule makes of it (see ``rule_for``)."""

    __slots__ = ("_counts", "_places", "_rouge_length", "_tokens", "rule")

    def __init__(self, expected: str, language: str | None = None) -> None:
        self.rule = rule_for(expected, language)
        self._tokens = self._words(expected)
        self._counts = Counter(self._tokens)
        rouge = self._rouge_words(expected, self._tokens)
        self._rouge_length = len(rouge)
        self._places = _places(rouge)

    def compare(self, answer: str) -> AnswerScores:
        """All three scores of ``answer``, which is split into tokens only once."""
        words = self._words(answer)
        return AnswerScores(
            self._exact_match(words),
            self._token_f1(words),
            self._rouge_l(self._rouge_words(answer, words)),
        )

    def _words(self, text: str) -> list[str]:
        return squad_tokens(text) if self.rule is Rule.SQUAD else unicode_tokens(text)

    def _rouge_words(self, text: str, words: list[str]) -> list[str]:
        return rouge_tokens(text) if self.rule is Rule.SQUAD else words

    def _exact_match(self, words: Sequence[str]) -> float:
        return float(words == self._tokens)

    def _token_f1(self, words: Sequence[str]) -> float:
        if not words or not self._tokens:
            return float(words == self._tokens)
        left = dict(self._counts)
        for word in words:
            if left.get(word):
                left[word] -= 1
        same = len(self._tokens) - sum(left.values())
        return 2 * same / (len(words) + len(self._tokens))

    def _rouge_l(self, words: Sequence[str]) -> float:
        if not words or not self._rouge_length:
            return 0.0
        return 2 * _lcs(self._places, self._rouge_length, words) / (len(words) + self._rouge_length)


def exact_match(answer: str, expected: str, language: str | None = None) -> float:
    """Exact match: 1.0 where both texts have the same tokens in the same order, else 0.0.

    Range 0 to 1, higher is better. Tokens by ``rule_for(expected, language)``. Two
    texts without tokens match.

    Source: Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of
    Text", EMNLP 2016, and its official evaluation script.
    """
    return Reference(expected, language).compare(answer).exact_match


def token_f1(answer: str, expected: str, language: str | None = None) -> float:
    """Token F1: harmonic mean of precision and recall of the tokens, as multisets.

    Range 0 to 1, higher is better. Tokens by ``rule_for(expected, language)``. Two
    texts without tokens score 1, one with and one without 0.

    Source: as :func:`exact_match`; empty texts as in the script of SQuAD 2.0
    (Rajpurkar et al., "Know What You Don't Know", ACL 2018).
    """
    return Reference(expected, language).compare(answer).token_f1


def rouge_l(answer: str, expected: str, language: str | None = None) -> float:
    """ROUGE-L: F1 of the longest common subsequence of tokens, unstemmed.

    Precision is its length over the answer's tokens, recall over the expected answer's.
    Range 0 to 1, higher is better. Where ``rule_for(expected, language)`` is SQuAD's,
    tokens are ``[a-z0-9]+`` of the lower-cased text, articles included; otherwise the
    Unicode tokens. A text without tokens scores 0, against an empty one as well.

    Source: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, as
    computed by Google's ``rouge_score`` (``rougeL``, ``use_stemmer=False``).
    """
    return Reference(expected, language).compare(answer).rouge_l


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence of two sequences of tokens."""
    shorter, longer = sorted((left, right), key=len)
    return _lcs(_places(shorter), len(shorter), longer)


def _places(tokens: Iterable[str]) -> dict[str, int]:
    """For each token, an integer with a bit set wherever it stands."""
    places: dict[str, int] = {}
    for index, token in enumerate(tokens):
        places[token] = places.get(token, 0) | 1 << index
    return places


def _lcs(places: Mapping[str, int], length: int, tokens: Iterable[str]) -> int:
    """Bit-parallel LCS: one row of the table is one integer.

    Source: Crochemore et al., "A fast and practical bit-vector algorithm for the
    longest common subsequence problem", Information Processing Letters 80 (2001).
    """
    everything = row = (1 << length) - 1
    # A token that stands nowhere changes no row.
    for here in [places[token] for token in tokens if token in places]:
        met = row & here
        row = (row + met | row - met) & everything
    return length - row.bit_count()
