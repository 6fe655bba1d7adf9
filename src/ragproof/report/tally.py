"""One pass over the cases that keeps only what a report shows of them.

However many cases there are, what is held is bounded: the worst few, a few groups,
a few ids of each.
"""

from collections.abc import Mapping
from heapq import heappush, heappushpop
from typing import Any, NamedTuple

from ragproof.records import Outcome

MAX_GROUPS = 20
MAX_IDS = 5

_PASS = Outcome.PASS

_SEVERITY = {Outcome.FAIL: 3, Outcome.ERROR: 2, Outcome.UNSCORED: 1, Outcome.PASS: 0}


class Badness(NamedTuple):
    """How a case ranks among those that need a look: the greater, the further up.

    Cases that the gate requires come first, for one of them fails it alone. Then
    failures before errors before unscored ones: a failure is about the answers, an
    error about the plumbing. Then the number of reasons, then the order of the set.
    """

    required: bool
    severity: int
    reasons: int
    earliness: int


class Group:
    """Cases that share a reason."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.ids: list[str] = []
        self.metrics: dict[str, None] = {}
        self.message: str | None = None
        self.excerpt: str | None = None

    def add(self, case_id: str) -> None:
        self.count += 1
        if len(self.ids) < MAX_IDS:
            self.ids.append(case_id)


class Groups:
    """Groups by name; the names are of others, so what comes after the last is one more."""

    def __init__(self, rest: str) -> None:
        self._groups: dict[str, Group] = {}
        self._rest = Group(rest)

    def __getitem__(self, name: str) -> Group:
        if name not in self._groups and len(self._groups) < MAX_GROUPS:
            self._groups[name] = Group(name)
        return self._groups.get(name, self._rest)

    def largest_first(self) -> list[Group]:
        groups = sorted(self._groups.values(), key=lambda group: -group.count)
        return [*groups, self._rest] if self._rest.count else groups


class Tally:
    """What is kept of the cases: ``add`` each once, in the order of the set."""

    def __init__(self, max_cases: int, required: frozenset[str]) -> None:
        self.max_cases = max_cases
        self.required = required
        self.failing = 0
        self.errors = Groups("other kinds of error")
        self.unscored = Groups("other reasons")
        self._seen = 0
        self._worst: list[tuple[Badness, Mapping[str, Any]]] = []

    def add(self, case: Mapping[str, Any]) -> None:
        self._seen += 1
        if case["outcome"] == _PASS and not case["unscored"]:
            return
        outcome = Outcome(case["outcome"])
        required = case["id"] in self.required and outcome is not Outcome.PASS
        if required or (outcome is Outcome.FAIL and not case.get("known_failure")):
            self._keep(case, outcome, required)
        if outcome is Outcome.ERROR:
            self._add_error(case)
        self._add_unscored(case)

    def worst(self) -> list[Mapping[str, Any]]:
        """Worst first, ``max_cases`` at most."""
        return [case for _, case in sorted(self._worst, key=lambda pair: pair[0], reverse=True)]

    def _keep(self, case: Mapping[str, Any], outcome: Outcome, required: bool) -> None:
        self.failing += 1
        reasons = len(case["reasons"])
        # No two have the same badness, so the cases themselves are never compared.
        entry = (Badness(required, _SEVERITY[outcome], reasons, -self._seen), case)
        if len(self._worst) < self.max_cases:
            heappush(self._worst, entry)
        else:
            heappushpop(self._worst, entry)

    def _add_error(self, case: Mapping[str, Any]) -> None:
        failure = case.get("failure") or {}
        group = self.errors[failure.get("kind", "unknown")]
        group.add(case["id"])
        group.message = group.message or failure.get("message")
        group.excerpt = group.excerpt or failure.get("excerpt")

    def _add_unscored(self, case: Mapping[str, Any]) -> None:
        for reason in dict.fromkeys(case["unscored"].values()):
            self.unscored[reason].add(case["id"])
        for metric, reason in case["unscored"].items():
            metrics = self.unscored[reason].metrics
            if len(metrics) < MAX_GROUPS:
                metrics.setdefault(metric)
