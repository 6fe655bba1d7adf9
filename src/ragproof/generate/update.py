"""Bringing an older set up to date: what stays, and what is to be made anew."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ragproof.corpus.records import Corpus
from ragproof.generate.qa import MULTI
from ragproof.generate.records import Sort
from ragproof.generate.run import Wanted
from ragproof.generate.stale import Finding, examine
from ragproof.records import Case, Kind


class Update(NamedTuple):
    """``kept`` cases stay as they are, in their order; ``dropped`` are those whose source changed.

    ``first`` are the documents that new cases are made from if possible.
    """

    kept: tuple[Case, ...]
    dropped: tuple[Finding, ...]
    first: tuple[str, ...]

    def kept_counts(self) -> dict[Sort, int]:
        """How many cases of each sort stay."""
        return dict(Counter(map(sort_of, self.kept)))

    def wanted(self, asked: Wanted | None) -> Wanted:
        """How many new cases are needed: as many as were dropped, or up to what is ``asked``."""
        dropped = Counter(sort_of(finding.case) for finding in self.dropped)
        if asked is None:
            return _wanted(dropped)
        kept = self.kept_counts()
        return _wanted(
            {sort: max(0, count - kept.get(sort, 0)) for sort, count in asked.counts().items()}
        )


def plan_update(cases: Iterable[Case], corpus: Corpus) -> Update:
    """See which cases of a set still rest on what the corpus says."""
    findings = examine(cases, corpus)
    dropped = tuple(finding for finding in findings if finding.stale)
    return Update(
        kept=tuple(finding.case for finding in findings if not finding.stale),
        dropped=dropped,
        first=tuple(dict.fromkeys(finding.document for finding in dropped)),
    )


def sort_of(case: Case) -> Sort:
    """Which sort a case counts as."""
    if case.kind is Kind.QA:
        return Sort.MULTI if MULTI in case.tags else Sort.QA
    return Sort.UNANSWERABLE if case.kind is Kind.UNANSWERABLE else Sort.INJECTION


def _wanted(counts: "Counter[Sort] | dict[Sort, int]") -> Wanted:
    return Wanted(
        qa=counts.get(Sort.QA, 0),
        multi=counts.get(Sort.MULTI, 0),
        unanswerable=counts.get(Sort.UNANSWERABLE, 0),
        injection=counts.get(Sort.INJECTION, 0),
    )
