"""The parts of a report, ready to be laid out.

A ``str`` is ours: fixed words and formatted numbers. Whatever comes out of the run
file as text is :class:`~ragproof.report.untrusted.Untrusted`, cut but not escaped.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from ragproof.report.untrusted import Untrusted


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
    incomplete: str
    """Why there is less than was asked for; empty when the run is complete."""
    summary: str
    dataset: Untrusted
    frozen: bool
    rows: tuple[Row, ...]
    failing: tuple[CaseView, ...]
    failing_left: int
    errors: tuple[ErrorGroup, ...]
    unscored: tuple[UnscoredGroup, ...]
    still_failing: Sample
    now_passing: Sample
    facts: tuple[Fact, ...]
    settings: Untrusted

    def limited_to(self, cases: int) -> Self:
        """The same report with fewer failing cases, for where there is less room."""
        left = self.failing_left + len(self.failing[cases:])
        return replace(self, failing=self.failing[:cases], failing_left=left)
