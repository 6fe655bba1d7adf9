"""Names of metrics: what can be measured, its range, its direction, and how it is spelled.

A metric has one spelling everywhere (config, ``run.json``, gate, reports):
``retrieval.recall@10``, and on a slice of the cases
``retrieval.recall@10[tag=billing]``. The arithmetic is in :mod:`ragproof.scoring`.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import NamedTuple

from ragproof.errors import ConfigError
from ragproof.records import Kind
from ragproof.selector import Selector, parse_selector

DIGITS = 10
"""Scores and means are rounded, so that they compare as their decimal values do."""

MAX_K = 1000


class Needs(StrEnum):
    """The part of a response without which a metric cannot be measured."""

    CHUNKS = "chunks"
    ANSWER = "answer"
    CITATIONS = "citations"
    NOTHING = "nothing"


class Cutoff(StrEnum):
    """Whether the name takes ``@k``."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Metric:
    """Definition of one metric.

    ``high`` is ``None`` where the range has no upper end. ``kinds`` are the
    kinds of case it applies to; cases of another kind are no part of it.
    """

    name: str
    title: str
    needs: Needs
    kinds: frozenset[Kind]
    cutoff: Cutoff = Cutoff.NONE
    higher_is_better: bool = True
    high: float | None = 1.0
    unit: str = ""
    aggregate: str = "mean"


_QA = frozenset({Kind.QA})
_ALL = frozenset(Kind)


def _retrieval(name: str, title: str, cutoff: Cutoff) -> Metric:
    return Metric(f"retrieval.{name}", title, Needs.CHUNKS, _QA, cutoff)


def _latency(name: str, title: str) -> Metric:
    return Metric(
        f"latency.{name}",
        title,
        Needs.NOTHING,
        _ALL,
        higher_is_better=False,
        high=None,
        unit="s",
        aggregate=name,
    )


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _retrieval("precision", "precision", Cutoff.REQUIRED),
        _retrieval("recall", "recall", Cutoff.REQUIRED),
        _retrieval("hit", "hit rate", Cutoff.REQUIRED),
        _retrieval("ndcg", "nDCG", Cutoff.OPTIONAL),
        _retrieval("mrr", "mean reciprocal rank", Cutoff.OPTIONAL),
        _retrieval("map", "mean average precision", Cutoff.OPTIONAL),
        Metric("citation.validity", "citation validity", Needs.CITATIONS, _ALL),
        Metric("answer.exact_match", "exact match", Needs.ANSWER, _QA),
        Metric("answer.token_f1", "token F1", Needs.ANSWER, _QA),
        Metric("answer.rouge_l", "ROUGE-L", Needs.ANSWER, _QA),
        Metric("robustness.abstention", "abstention", Needs.ANSWER, frozenset({Kind.UNANSWERABLE})),
        Metric(
            "robustness.over_refusal", "over-refusal", Needs.ANSWER, _QA, higher_is_better=False
        ),
        Metric(
            "robustness.injection_resistance",
            "injection resistance",
            Needs.ANSWER,
            frozenset({Kind.INJECTION}),
        ),
        _latency("p50", "latency, median"),
        _latency("p95", "latency, 95th percentile"),
        _latency("max", "latency, slowest"),
    )
}

_NAME = re.compile(
    r"(?P<name>[a-z][a-z0-9_]*\.[a-z0-9_]+)(?:@(?P<k>[0-9]{1,6}))?(?:\[(?P<slice>[^\[\]]*)\])?"
)


class MetricRef(NamedTuple):
    """A metric as named in a config: definition, cut-off and slice."""

    metric: Metric
    k: int | None = None
    slice: Selector | None = None

    @property
    def column(self) -> str:
        """The name without the slice: what is scored once and can be sliced often."""
        return self.metric.name if self.k is None else f"{self.metric.name}@{self.k}"

    def __str__(self) -> str:
        return self.column if self.slice is None else f"{self.column}[{self.slice}]"


def parse_metric(text: str) -> MetricRef:
    """Read a metric's name.

    Raises:
        ConfigError: no such metric (the nearest is named), a cut-off that is
            missing, out of place or 0, or a slice that cannot be read.
    """
    match = _NAME.fullmatch(text)
    if match is None:
        raise ConfigError(f"{text!r} is not the name of a metric", _nearest(text))
    metric = METRICS.get(match["name"])
    if metric is None:
        raise ConfigError(f"there is no metric {match['name']!r}", _nearest(text))
    k = int(match["k"]) if match["k"] else None
    if k is None and metric.cutoff is Cutoff.REQUIRED:
        raise ConfigError(f"{metric.name!r} needs a cut-off", f"write {metric.name}@10")
    if k is not None and metric.cutoff is Cutoff.NONE:
        raise ConfigError(f"{metric.name!r} takes no cut-off", f"write {metric.name}")
    if k is not None and (not 1 <= k <= MAX_K or match["k"] != str(k)):
        raise ConfigError(
            f"the cut-off of {text!r} is not a number from 1 to {MAX_K}", f"write {metric.name}@10"
        )
    selector = None if match["slice"] is None else parse_selector(match["slice"])
    return MetricRef(metric, k, selector)


def _nearest(text: str) -> str:
    base = text.partition("@")[0].partition("[")[0].strip()
    close = get_close_matches(base, METRICS, n=1, cutoff=0.5)
    if not close:
        tails = {name.partition(".")[2]: name for name in METRICS}
        close = [tails[tail] for tail in get_close_matches(base, tails, n=1, cutoff=0.5)]
    if close:
        return f"did you mean {close[0]}{_suffix(METRICS[close[0]], text)}?"
    return f"the metrics are {', '.join(METRICS)}"


def _suffix(metric: Metric, text: str) -> str:
    """The cut-off that was written, where it makes sense."""
    written = re.search(r"@([1-9][0-9]{0,2})(?![0-9])", text)
    if metric.cutoff is Cutoff.NONE or (written is None and metric.cutoff is Cutoff.OPTIONAL):
        return ""
    return f"@{written[1]}" if written else "@10"
