"""The parts of a report, ready to be laid out.

A ``str`` is ours: fixed words and formatted numbers. Whatever comes out of the run
file as text is :class:`~ragproof.report.untrusted.Untrusted`, cut but not escaped.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from ragproof.report.untrusted import Untrusted

_BRIEF_ROWS = 20


class Sample(NamedTuple):
    """The first few of many, and how many are left out."""

    shown: tuple[Untrusted, ...] = ()
    left: int = 0


class Headline(NamedTuple):
    """The verdict and the worst reason for it; the other reasons below."""

    symbol: str
    words: str
    reason: Untrusted
    others: Sample


class Note(NamedTuple):
    """Something to know before reading on. ``label`` and ``words`` are ours."""

    label: str
    words: str
    names: Sample = Sample()


class Row(NamedTuple):
    """One threshold, or one metric without any. An empty text: there is nothing to say."""

    name: Untrusted
    value: str
    threshold: str
    n: str
    outcome: str


class Chunk(NamedTuple):
    """One retrieved chunk."""

    id: Untrusted
    expected: bool


class Retrieved(NamedTuple):
    """What was retrieved, by rank from 1; ``found_below`` are ranks of expected ones left out."""

    chunks: tuple[Chunk, ...]
    left: int
    found_below: str


class CaseView(NamedTuple):
    """One case that needs a look. ``None``: there is no such thing, or it is not published."""

    id: Untrusted
    outcome: str
    required: bool
    kind: Untrusted
    tags: Sample
    line: int | None
    reasons: Sample
    question: Untrusted | None
    expected: Sample
    expected_answer: Untrusted | None
    retrieved: Retrieved | None
    answer: Untrusted | None


class ErrorGroup(NamedTuple):
    """Cases that could not be asked for one kind of reason, with the first that was heard."""

    kind: Untrusted
    cases: str
    ids: Sample
    message: Untrusted | None
    excerpt: Untrusted | None


class UnscoredGroup(NamedTuple):
    """Cases of which something could not be measured, for one reason."""

    reason: Untrusted
    cases: str
    ids: Sample
    metrics: Sample


class Fact(NamedTuple):
    """One line of the small print."""

    label: str
    value: Untrusted


@dataclass(frozen=True, slots=True)
class View:
    """A whole report."""

    headline: Headline
    notes: tuple[Note, ...]
    summary: str
    dataset: Untrusted
    frozen: bool
    gated: tuple[Row, ...]
    measured: tuple[Row, ...]
    """Metrics that have no threshold."""
    failing: tuple[CaseView, ...]
    failing_left: int
    errors: tuple[ErrorGroup, ...]
    unscored: tuple[UnscoredGroup, ...]
    still_failing: Sample
    now_passing: Sample
    facts: tuple[Fact, ...]
    settings: Untrusted | None
    whole: str
    """Where to find what is left out here: Markdown of ours."""
    left_out: tuple[str, ...] = ()
    """What is left out for want of room, beside cases."""

    def limited_to(self, cases: int) -> Self:
        """The same report with fewer failing cases, for where there is less room."""
        left = self.failing_left + len(self.failing[cases:])
        return replace(self, failing=self.failing[:cases], failing_left=left)

    def brief(self) -> Self:
        """The same report without what only helps to find out more."""
        broken = tuple(row for row in self.gated if row.outcome != "pass")[:_BRIEF_ROWS]
        sections = {
            "thresholds that hold": len(broken) < len(self.gated),
            "metrics without a threshold": self.measured,
            "what the endpoint said": any(error.excerpt for error in self.errors),
            "what was not scored": self.unscored,
            "known failures": self.still_failing.shown or self.now_passing.shown,
            "the settings": self.settings,
        }
        return replace(
            self.limited_to(0),
            gated=broken,
            measured=(),
            errors=tuple(error._replace(excerpt=None) for error in self.errors),
            unscored=(),
            still_failing=Sample(),
            now_passing=Sample(),
            settings=None,
            left_out=tuple(name for name, there in sections.items() if there),
        )


class Problem(NamedTuple):
    """Why there is no report: the command ended before there was a run."""

    symbol: str
    words: str
    message: Untrusted
    hint: Untrusted | None


class SortRow(NamedTuple):
    """The account of one sort of case."""

    name: Untrusted
    requested: str
    delivered: str
    kept: str
    discarded: str
    failed: str


class Reason(NamedTuple):
    """Why candidates of a sort were discarded, or calls for it failed."""

    sort: Untrusted
    what: str
    number: str
    reason: Untrusted


class Change(NamedTuple):
    """A case that is not in both sets. ``question``: ``None`` where no texts are published."""

    id: Untrusted
    kind: Untrusted
    question: Untrusted | None


@dataclass(frozen=True, slots=True)
class Regenerated:
    """What there is to say about a dataset that was made anew.

    ``whole`` is Markdown of ours: where the rest is found.
    """

    words: str
    dataset: Untrusted
    cases: str
    hash: Untrusted
    notes: tuple[Note, ...]
    rows: tuple[SortRow, ...]
    reasons: tuple[Reason, ...]
    removed: tuple[Change, ...]
    added: tuple[Change, ...]
    changed: tuple[Change, ...]
    left: str
    """Changes that are left out here; empty if none is."""
    facts: tuple[Fact, ...]
    whole: str

    def limited_to(self, changes: int) -> Self:
        """The same with fewer cases, for where there is less room; removed ones stay longest."""
        every = len(self.removed) + len(self.added) + len(self.changed)
        removed = self.removed[:changes]
        changed = self.changed[: changes - len(removed)]
        added = self.added[: changes - len(removed) - len(changed)]
        shown = len(removed) + len(added) + len(changed)
        # What was left out before stays left out.
        left = every - shown + int(self.left.replace(",", "") or 0)
        return replace(
            self, removed=removed, added=added, changed=changed, left=f"{left:,}" if left else ""
        )
