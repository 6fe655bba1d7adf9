"""Scores of all cases, held as columns: a few bytes a score, whatever else a case holds."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ragproof.metrics import DIGITS, MetricRef
from ragproof.records import Kind, Outcome
from ragproof.scoring.latency import aggregate
from ragproof.selector import Selectable, Selector

_OUTCOMES = tuple(Outcome)


class Labels(NamedTuple):
    """What selectors look at in one case."""

    id: str
    kind: Kind
    tags: tuple[str, ...]
    language: str | None


class Summary(NamedTuple):
    """One metric over all cases, or over a slice of them.

    ``scored`` of the ``of`` cases that the metric applies to have a score; ``value`` is
    ``None`` when none has. ``errors`` could not be asked, ``unscored`` counts the
    reasons of the rest (empty for a slice).
    """

    ref: MetricRef
    value: float | None
    scored: int
    of: int
    errors: int
    unscored: dict[str, int]


class ScoreTable:
    """Filled case by case, in any order; a case that was never added counts as an error."""

    def __init__(self, columns: Iterable[str], cases: Sequence[Selectable]) -> None:
        self.cases = cases
        size = len(cases)
        # No score is NaN: it stands where there is none.
        self._values = {name: array("d", [math.nan]) * size for name in columns}
        self._latency = array("d", [math.nan]) * size
        self._outcomes = bytearray([_OUTCOMES.index(Outcome.ERROR)]) * size
        self._unscored: Counter[tuple[str, str]] = Counter()
        self._slices: dict[tuple[frozenset[Kind], Selector | None], array[int]] = {}
        self.with_chunks = 0

    def add(
        self,
        index: int,
        outcome: Outcome,
        scores: Mapping[str, float],
        unscored: Mapping[str, str],
        latency_s: float | None,
    ) -> None:
        """Take the scores of the case at ``index``."""
        self._outcomes[index] = _OUTCOMES.index(outcome)
        columns = self._values
        for name, value in scores.items():
            if name in columns:
                columns[name][index] = value
        for item in unscored.items():
            self._unscored[item] += 1
        if latency_s is not None:
            self._latency[index] = latency_s

    @property
    def columns(self) -> Iterable[str]:
        """Names of the metrics scored."""
        return self._values

    def outcome(self, index: int) -> Outcome:
        """What became of the case at ``index``."""
        return _OUTCOMES[self._outcomes[index]]

    def count(self, outcome: Outcome) -> int:
        """Number of cases with this outcome."""
        return self._outcomes.count(_OUTCOMES.index(outcome))

    def measures(self, ref: MetricRef) -> bool:
        """Whether the metric is among the columns."""
        return ref.metric.aggregate != "mean" or ref.column in self._values

    def summary(self, ref: MetricRef) -> Summary:
        """The metric over all cases of its kinds, within its slice if it has one."""
        chosen = self._chosen(ref)
        mean = ref.metric.aggregate == "mean"
        values = self._values[ref.column] if mean else self._latency
        scored = [one for index in chosen if not math.isnan(one := values[index])]
        value = None
        if scored and mean:
            value = round(math.fsum(scored) / len(scored), DIGITS)
        elif scored:
            value = aggregate(sorted(scored), ref.metric.aggregate)
        error = _OUTCOMES.index(Outcome.ERROR)
        errors = sum(self._outcomes[index] == error for index in chosen)
        reasons = self._reasons(ref) if mean and ref.slice is None else {}
        return Summary(ref, value, len(scored), len(chosen), errors, reasons)

    def applies_to(self, ref: MetricRef) -> int:
        """Number of cases that the metric applies to, within its slice if it has one."""
        return len(self._chosen(ref))

    def _chosen(self, ref: MetricRef) -> "array[int]":
        key = ref.metric.kinds, ref.slice
        found = self._slices.get(key)
        if found is None:
            kinds, selector = key
            chosen = (
                index
                for index, case in enumerate(self.cases)
                if case.kind in kinds and (selector is None or selector.matches(case))
            )
            found = self._slices[key] = array("I", chosen)
        return found

    def _reasons(self, ref: MetricRef) -> dict[str, int]:
        keys = (ref.metric.name, ref.metric.name.partition(".")[0])
        found = {reason: n for (key, reason), n in self._unscored.items() if key in keys}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
