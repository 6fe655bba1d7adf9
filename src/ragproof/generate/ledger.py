"""What became of every candidate: delivered, discarded or failed, each with its reason."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragproof.generate.records import Discarded, Failed, Sort
from ragproof.records import Case

_CUT = 300
_DELIVERED, _DISCARDED, _FAILED = "delivered", "discarded", "failed"


class Entry(NamedTuple):
    """One candidate. ``outcome`` is ``delivered``, ``discarded`` or ``failed``."""

    outcome: str
    reason: str
    detail: str
    question: str
    document: str
    chunk: str
    case: str = ""

    def as_dict(self) -> dict[str, str]:
        """The fields that say something."""
        return {key: value for key, value in self._asdict().items() if value}


class Ledger:
    """The account of one run, by sort of case and in the order of the candidates.

    ``requested`` are new cases, ``kept`` those of an older set that stay. ``stopped`` says why
    the run ended early, if it did; ``facts`` is what else is stored with it.
    """

    def __init__(self) -> None:
        self.requested: dict[Sort, int] = {}
        self.kept: dict[Sort, int] = {}
        self.facts: dict[str, Any] = {}
        self.stopped = ""
        self._entries: dict[Sort, list[Entry]] = {sort: [] for sort in Sort}

    def deliver(self, sort: Sort, case: Case, document: str, chunk: str) -> None:
        """A candidate became a case."""
        entry = Entry(_DELIVERED, "", "", _cut(case.question), document, chunk, case.id)
        self._entries[sort].append(entry)

    def discard(self, sort: Sort, one: Discarded) -> None:
        """A candidate is no case."""
        self._add(sort, _DISCARDED, one, one.reason.value)

    def fail(self, sort: Sort, one: Failed) -> None:
        """A call gave nothing."""
        self._add(sort, _FAILED, one, one.reason)

    def entries(self, sort: Sort) -> tuple[Entry, ...]:
        """The candidates of a sort, in order."""
        return tuple(self._entries[sort])

    def delivered(self, sort: Sort | None = None) -> int:
        """How many cases were made, of a sort or at all."""
        return self._counts(_DELIVERED, sort).total()

    def discarded(self, sort: Sort | None = None) -> Counter[str]:
        """How many candidates were discarded, by reason."""
        return self._counts(_DISCARDED, sort)

    def failed(self, sort: Sort | None = None) -> Counter[str]:
        """How many calls failed for good, by reason."""
        return self._counts(_FAILED, sort)

    def missing(self) -> dict[Sort, int]:
        """How many cases were asked for and are not there, by sort."""
        return {
            sort: wanted - self.delivered(sort)
            for sort, wanted in self.requested.items()
            if wanted > self.delivered(sort)
        }

    def as_dict(self) -> dict[str, Any]:
        """As it is stored beside a dataset."""
        sorts = {
            sort.value: {
                "requested": self.requested.get(sort, 0),
                "kept": self.kept.get(sort, 0),
                _DELIVERED: self.delivered(sort),
                _DISCARDED: dict(_ranked(self.discarded(sort))),
                _FAILED: dict(_ranked(self.failed(sort))),
                "candidates": [entry.as_dict() for entry in self._entries[sort]],
            }
            for sort in self._used()
        }
        stopped = {"stopped": self.stopped} if self.stopped else {}
        return {**self.facts, **stopped, "cases": sorts}

    def lines(self) -> list[str]:
        """As it is printed: a line for each sort and for each reason."""
        found = []
        for sort in self._used():
            kept = f", {self.kept[sort]} kept" if self.kept.get(sort) else ""
            wanted = self.requested.get(sort, 0)
            found.append(f"{sort}: {self.delivered(sort)} of {wanted} delivered{kept}")
            for reason, count in _ranked(self.discarded(sort)):
                found.append(f"  {count} discarded: {reason}")
            for reason, count in _ranked(self.failed(sort)):
                found.append(f"  {count} failed: {reason}{self._example(sort, reason)}")
        return found

    def _used(self) -> list[Sort]:
        return [
            sort
            for sort in Sort
            if self._entries[sort] or self.requested.get(sort) or self.kept.get(sort)
        ]

    def _example(self, sort: Sort, reason: str) -> str:
        """What the first call said that failed for this reason."""
        entries = (one for one in self._entries[sort] if one.outcome == _FAILED)
        detail = next((one.detail for one in entries if one.reason == reason), "")
        return f" ({detail})" if detail else ""

    def _counts(self, outcome: str, sort: Sort | None) -> Counter[str]:
        sorts = Sort if sort is None else (sort,)
        entries = (entry for one in sorts for entry in self._entries[one])
        return Counter(entry.reason for entry in entries if entry.outcome == outcome)

    def _add(self, sort: Sort, outcome: str, one: Discarded | Failed, reason: str) -> None:
        said = (_cut(reason), _cut(one.detail), _cut(one.question))
        self._entries[sort].append(Entry(outcome, *said, one.chunk.document_id, one.chunk.id))


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _CUT else flat[:_CUT] + "…"
