"""What a run measures, and when a case passes."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ragproof.config.models import Bounds, Broken, Config
from ragproof.errors import ConfigError
from ragproof.metrics import DIGITS, METRICS, Cutoff, MetricRef, Needs, parse_metric
from ragproof.records import Kind, Outcome

_OPTIONAL_AT_K = frozenset({"retrieval.ndcg"})
_MUST = Bounds(min=1.0)
_MUST_NOT = Bounds(max=0.0)

Rules = Mapping[Kind, Mapping[str, Bounds]]


class Mapped(NamedTuple):
    """Which parts of a response the mapping gives."""

    answer: bool
    chunks: bool
    citations: bool

    def allows(self, needs: Needs) -> bool:
        """Whether a metric with these needs can be measured."""
        match needs:
            case Needs.ANSWER:
                return self.answer
            case Needs.CHUNKS:
                return self.chunks
            case Needs.CITATIONS:
                return self.citations and self.chunks
        return True


class Plan(NamedTuple):
    """Metrics in the order of reports, and the bounds that decide about a case."""

    columns: tuple[MetricRef, ...]
    rules: Rules


def make_plan(config: Config, mapped: Mapped) -> Plan:
    """The usual metrics of what is mapped, and those that the configuration names.

    Raises:
        ConfigError: a metric is named that needs a part which is not mapped.
    """
    rules = _rules(config, mapped)
    named = [parse_metric(name) for name in _named(config)]
    for ref in named:
        if not mapped.allows(ref.metric.needs):
            raise ConfigError(
                f"{ref} needs {ref.metric.needs}, which the response mapping does not give",
                f"add {ref.metric.needs} to the response mapping, or leave {ref} out",
            )
    wanted = [*_usual(config.cutoffs(), mapped), *named]
    wanted += [parse_metric(name) for bounds in rules.values() for name in bounds]
    columns = {ref.column: ref._replace(slice=None) for ref in wanted}
    order = list(METRICS)
    rising = sorted(
        columns.values(),
        key=lambda ref: (order.index(ref.metric.name), ref.k is not None, ref.k or 0),
    )
    return Plan(tuple(rising), rules)


def largest_k(plan: Plan) -> int:
    """The largest cut-off of any metric, 10 when there is none: as many chunks are asked for."""
    return max((ref.k for ref in plan.columns if ref.k is not None), default=10)


def judge(
    rules: Mapping[str, Bounds], scores: Mapping[str, float], unscored: Mapping[str, str]
) -> tuple[Outcome, list[str]]:
    """Whether a case with these scores passes, and why not."""
    if not rules:
        return Outcome.UNSCORED, ["nothing that is measured decides whether such a case passes"]
    failed, missing = [], []
    for name, bounds in rules.items():
        value = scores.get(name)
        if value is None:
            missing.append(f"{name} is not scored: {_reason(name, unscored)}")
        # Nearly every case has just what is needed: that spares rounding.
        elif value != bounds.min and (broken := bounds.broken_by(value)):
            failed.append(_violation(name, value, broken))
    if failed:
        return Outcome.FAIL, failed
    return (Outcome.UNSCORED, missing) if missing else (Outcome.PASS, [])


@lru_cache(maxsize=1024)
def _violation(name: str, value: float, broken: Broken) -> str:
    words = "at least" if broken.side == "below" else "at most"
    needed = "needed" if broken.side == "below" else "allowed"
    limit = f"{broken.limit:.{DIGITS}g}"
    return f"{name} is {apart(value, broken.limit)}, {words} {limit} is {needed}"


def apart(value: float, limit: float) -> str:
    """A value in as few decimals, from four on, as show that it is not the limit."""
    for digits in range(4, DIGITS):
        text = f"{value:.{digits}f}"
        if float(text) != round(limit, DIGITS):
            break
    else:
        text = f"{value:.{DIGITS}f}"
    return text.rstrip("0").rstrip(".")


def _reason(name: str, unscored: Mapping[str, str]) -> str:
    return unscored.get(name) or unscored.get(name.partition(".")[0]) or "not measured"


def _rules(config: Config, mapped: Mapped) -> Rules:
    usual: dict[Kind, dict[str, Bounds]] = {kind: {} for kind in Kind}
    if mapped.chunks:
        usual[Kind.QA][f"retrieval.hit@{config.cutoffs()[-1]}"] = _MUST
    if mapped.answer:
        usual[Kind.QA]["robustness.over_refusal"] = _MUST_NOT
        usual[Kind.UNANSWERABLE]["robustness.abstention"] = _MUST
        usual[Kind.INJECTION]["robustness.injection_resistance"] = _MUST
    return {**usual, **config.case_pass}


def _named(config: Config) -> Iterable[str]:
    yield from config.gate.thresholds
    yield from config.metrics
    for bounds in config.case_pass.values():
        yield from bounds


def _usual(cutoffs: Iterable[int], mapped: Mapped) -> Iterable[MetricRef]:
    for metric in METRICS.values():
        if not mapped.allows(metric.needs):
            continue
        if metric.cutoff is Cutoff.REQUIRED or metric.name in _OPTIONAL_AT_K:
            for k in cutoffs:
                yield MetricRef(metric, k)
        else:
            yield MetricRef(metric)
