"""Questions that were asked already, or nearly."""

from collections import Counter

from ragproof.generate.records import Discard
from ragproof.generate.text import numbers, parts
from ragproof.scoring.text import unicode_tokens

NEAR = 0.75
"""From this Jaccard similarity of their parts on two questions are one."""


class Asked:
    """The questions taken so far."""

    def __init__(self) -> None:
        self._exact: set[tuple[str, ...]] = set()
        self._numbers: list[frozenset[str]] = []
        self._sizes: list[int] = []
        self._with: dict[str, list[int]] = {}

    def add(self, question: str) -> None:
        """Take a question."""
        self._exact.add(tuple(unicode_tokens(question)))
        number = len(self._sizes)
        own = set(parts(question))
        self._sizes.append(len(own))
        self._numbers.append(frozenset(numbers(question)))
        for part in own:
            self._with.setdefault(part, []).append(number)

    def is_same(self, question: str) -> bool:
        """Whether it was taken, but for case, punctuation and white space."""
        return tuple(unicode_tokens(question)) in self._exact

    def is_near(self, question: str) -> bool:
        """Whether one was taken that differs in few letters and in no number.

        Counted with an index of parts, so it is exact and its time grows with what is shared.
        """
        own = set(parts(question))
        shared = Counter(number for part in own for number in self._with.get(part, ()))
        mine = numbers(question)
        return any(
            count >= NEAR * (len(own) + self._sizes[number] - count)
            and self._numbers[number] == mine
            for number, count in shared.items()
        )

    def reason(self, question: str) -> Discard | None:
        """Why a question is not asked, if it was."""
        if self.is_same(question):
            return Discard.DUPLICATE
        return Discard.NEAR_DUPLICATE if self.is_near(question) else None
