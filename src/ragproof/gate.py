"""The verdict: coverage first, then thresholds, required cases and known failures. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from ragproof.config.models import Bounds, GateConfig
from ragproof.errors import ConfigError, ExitCode
from ragproof.metrics import DIGITS, parse_metric
from ragproof.records import Kind, Outcome
from ragproof.scoring.plan import apart
from ragproof.scoring.table import ScoreTable, Summary

_NAMED = 5


class Verdict(StrEnum):
    """What the gate says."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    UNGATED = "ungated"


class ThresholdResult(NamedTuple):
    """One threshold with what was measured."""

    summary: Summary
    bounds: Bounds
    outcome: Outcome


class RequiredResult(NamedTuple):
    """A required case that does not pass."""

    case: str
    outcome: Outcome


class GateResult(NamedTuple):
    """The verdict with all that it rests on. ``reasons``: why, worst first."""

    verdict: Verdict
    exit_code: ExitCode
    reasons: tuple[str, ...]
    coverage: float
    thresholds: tuple[ThresholdResult, ...]
    required: tuple[RequiredResult, ...]
    still_failing: tuple[str, ...]
    now_passing: tuple[str, ...]


def check_names(
    gate: GateConfig, table: ScoreTable, all_ids: Iterable[str], tags: Collection[str]
) -> None:
    """Refuse a gate that speaks of cases, tags or metrics that are not there, or that has
    nothing to say about the cases at hand. ``all_ids`` and ``tags`` are those of the dataset.

    Raises:
        ConfigError: with a line for each name.
    """
    unknown = {*gate.required.cases, *gate.allow_failing}
    if unknown:
        unknown.difference_update(all_ids)
    lines = [
        f"gate.{where}: there is no case {name!r}"
        for where, names in (
            ("required.cases", gate.required.cases),
            ("allow_failing", gate.allow_failing),
        )
        for name in names
        if name in unknown
    ]
    lines += [
        f"gate.required.tags: no case has the tag {tag!r}"
        for tag in gate.required.tags
        if tag not in tags
    ]
    for name in gate.thresholds:
        ref = parse_metric(name)
        if not table.measures(ref):
            lines.append(f"gate.thresholds: {name} was not measured in this run")
        elif table.applies_to(ref) == 0:
            kinds = "/".join(sorted(ref.metric.kinds))
            of = f"{kinds} cases" + (f" with {ref.slice}" if ref.slice else "")
            lines.append(f"gate.thresholds: {name} is about {of}, and there is none")
    if not lines and gate.enforces() and not gate.thresholds and not any(_required(gate, table)):
        lines = ["gate: none of the required cases is among the cases at hand"]
    if lines:
        raise ConfigError(
            "\n".join(lines), "mend the gate, or the dataset and the selection it is used with"
        )


def _required(gate: GateConfig, table: ScoreTable) -> Iterator[tuple[int, str]]:
    """Index and id of the cases that must each pass."""
    ids, tags = frozenset(gate.required.cases), frozenset(gate.required.tags)
    if ids or tags:
        for index, case in enumerate(table.cases):
            if case.id in ids or not tags.isdisjoint(case.tags):
                yield index, case.id


def decide(gate: GateConfig, table: ScoreTable, *, complete: bool) -> GateResult:
    """Judge a scored run. Reasons are words of ours, with names and ids but no text of an
    endpoint in them."""
    thresholds = tuple(_threshold(name, bounds, table) for name, bounds in gate.thresholds.items())
    required = tuple(
        RequiredResult(case_id, outcome)
        for index, case_id in _required(gate, table)
        if (outcome := table.outcome(index)) is not Outcome.PASS
    )
    known = dict.fromkeys(gate.allow_failing, Outcome.ERROR)
    if known:
        for index, case in enumerate(table.cases):
            if case.id in known:
                known[case.id] = table.outcome(index)
    answered = len(table.cases) - table.count(Outcome.ERROR)
    coverage = answered / len(table.cases) if table.cases else 0.0
    errors = _cannot_judge(gate, table, coverage, complete=complete)
    failures: list[str] = []
    if not errors:
        errors = [*_threshold_errors(thresholds), *_required_errors(required)]
        failures = [*_threshold_failures(thresholds), *_required_failures(required)]
    if errors:
        verdict, code = Verdict.ERROR, ExitCode.ERROR
    elif failures:
        verdict, code = Verdict.FAIL, ExitCode.FAIL
    elif gate.enforces():
        verdict, code = Verdict.PASS, ExitCode.PASS
    else:
        verdict, code = Verdict.UNGATED, ExitCode.PASS
    return GateResult(
        verdict,
        code,
        tuple(errors + failures),
        coverage,
        thresholds,
        required,
        tuple(name for name, outcome in known.items() if outcome is Outcome.FAIL),
        tuple(name for name, outcome in known.items() if outcome is Outcome.PASS),
    )


def _cannot_judge(
    gate: GateConfig, table: ScoreTable, coverage: float, *, complete: bool
) -> list[str]:
    failed = table.count(Outcome.ERROR)
    total = len(table.cases)
    if not complete:
        return [f"the run is incomplete: {total - failed} of {total} cases were answered"]
    if failed == total:
        return [f"none of {total} cases could be asked"]
    if coverage < gate.min_coverage:
        return [
            f"{failed} of {total} cases could not be asked: coverage {_number(coverage)}"
            f" is below {_number(gate.min_coverage)}"
        ]
    if not table.with_chunks and _expects_chunks(table):
        return ["no response held any chunk: check the path endpoint.response.chunks"]
    return []


def _expects_chunks(table: ScoreTable) -> bool:
    """Whether a case was answered to which documents belong: others may well have none."""
    return any(name.startswith("retrieval.") for name in table.columns) and any(
        case.kind is Kind.QA and table.outcome(index) is not Outcome.ERROR
        for index, case in enumerate(table.cases)
    )


def _threshold(name: str, bounds: Bounds, table: ScoreTable) -> ThresholdResult:
    summary = table.summary(parse_metric(name))
    if summary.value is None:
        outcome = Outcome.ERROR
    else:
        outcome = Outcome.FAIL if bounds.broken_by(summary.value) else Outcome.PASS
    return ThresholdResult(summary, bounds, outcome)


def _threshold_errors(results: Sequence[ThresholdResult]) -> list[str]:
    return [
        f"{result.summary.ref} could not be measured: 0 of {result.summary.of} cases are scored"
        for result in results
        if result.outcome is Outcome.ERROR
    ]


def _threshold_failures(results: Sequence[ThresholdResult]) -> list[str]:
    return [
        f"{one.summary.ref} is {apart(value, broken.limit)}, {broken.side} {_number(broken.limit)}"
        for one in results
        if (value := one.summary.value) is not None and (broken := one.bounds.broken_by(value))
    ]


def _required_errors(results: Sequence[RequiredResult]) -> list[str]:
    return _naming(
        "could not be judged", [one.case for one in results if one.outcome is not Outcome.FAIL]
    )


def _required_failures(results: Sequence[RequiredResult]) -> list[str]:
    return _naming("fail", [one.case for one in results if one.outcome is Outcome.FAIL])


def _naming(what: str, ids: list[str]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return [f"required cases {what}: {', '.join(ids[:_NAMED])}{more}"]


def _number(value: float) -> str:
    return f"{value:.{DIGITS}g}"
