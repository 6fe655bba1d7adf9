"""The verdict: coverage first, then thresholds, required cases and known failures. Pure."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from ragproof.config.models import Bounds, GateConfig
from ragproof.errors import ConfigError, ExitCode
from ragproof.metrics import parse_metric
from ragproof.records import Outcome
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
    gate: GateConfig, table: ScoreTable, all_ids: Sequence[str], tags: set[str]
) -> None:
    """Refuse a gate that speaks of cases, tags or metrics that are not there.

    Raises:
        ConfigError: with a line for each name.
    """
    known = set(all_ids)
    lines = [
        f"gate.{where}: there is no case {name!r}"
        for where, names in (
            ("required.cases", gate.required.cases),
            ("allow_failing", gate.allow_failing),
        )
        for name in names
        if name not in known
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
            lines.append(f"gate.thresholds: {name} applies to none of the cases ({kinds} only)")
    if lines:
        raise ConfigError(
            "\n".join(lines), "mend the gate, or the dataset and the selection it is used with"
        )


def decide(
    gate: GateConfig, table: ScoreTable, *, complete: bool, first_failure: str = ""
) -> GateResult:
    """Judge a scored run. ``first_failure`` says what became of the first case that has no
    response, for when that is the reason."""
    thresholds = tuple(_threshold(name, bounds, table) for name, bounds in gate.thresholds.items())
    outcomes = {case.id: table.outcome(index) for index, case in enumerate(table.cases)}
    must, tags = set(gate.required.cases), set(gate.required.tags)
    required = tuple(
        RequiredResult(case.id, outcomes[case.id])
        for case in table.cases
        if (case.id in must or not tags.isdisjoint(case.tags))
        and outcomes[case.id] is not Outcome.PASS
    )
    known = [name for name in gate.allow_failing if name in outcomes]
    answered = len(table.cases) - table.count(Outcome.ERROR)
    coverage = answered / len(table.cases) if table.cases else 0.0
    errors = _cannot_judge(gate, table, coverage, complete=complete)
    if errors and table.count(Outcome.ERROR) and first_failure:
        errors.append(f"the first of them: {first_failure}")
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
        tuple(name for name in known if outcomes[name] is Outcome.FAIL),
        tuple(name for name in known if outcomes[name] is Outcome.PASS),
    )


def _cannot_judge(
    gate: GateConfig, table: ScoreTable, coverage: float, *, complete: bool
) -> list[str]:
    failed = table.count(Outcome.ERROR)
    total = len(table.cases)
    if not complete:
        return [f"the run is incomplete: {total - failed} of {total} cases were answered"]
    if coverage < gate.min_coverage or failed == total:
        return [
            f"{failed} of {total} cases could not be asked: coverage {_number(coverage)}"
            f" is below {_number(gate.min_coverage)}"
        ]
    if (
        table.responses
        and not table.with_chunks
        and any(name.startswith("retrieval.") for name in table.columns)
    ):
        return ["no response held any chunk: check the path endpoint.response.chunks"]
    return []


def _threshold(name: str, bounds: Bounds, table: ScoreTable) -> ThresholdResult:
    summary = table.summary(parse_metric(name))
    value = summary.value
    if value is None:
        outcome = Outcome.ERROR
    elif (bounds.min is not None and value < bounds.min) or (
        bounds.max is not None and value > bounds.max
    ):
        outcome = Outcome.FAIL
    else:
        outcome = Outcome.PASS
    return ThresholdResult(summary, bounds, outcome)


def _threshold_errors(results: Sequence[ThresholdResult]) -> list[str]:
    return [
        f"{result.summary.ref} could not be measured: 0 of {result.summary.of} cases are scored"
        for result in results
        if result.outcome is Outcome.ERROR
    ]


def _threshold_failures(results: Sequence[ThresholdResult]) -> list[str]:
    return [
        f"{result.summary.ref} is {_apart(result.summary.value, limit)}, {words} {_number(limit)}"
        for result in results
        if result.outcome is Outcome.FAIL and result.summary.value is not None
        for limit, words in [_broken_bound(result.summary.value, result.bounds)]
    ]


def _broken_bound(value: float, bounds: Bounds) -> tuple[float, str]:
    if bounds.min is not None and value < bounds.min:
        return bounds.min, "below"
    return bounds.max or 0.0, "above"


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
    return f"{value:.10g}"


def _apart(value: float | None, limit: float) -> str:
    """A value with as many digits as show that it is not the limit, at least four."""
    number = value or 0.0
    for digits in range(4, 11):
        text = f"{number:.{digits}f}"
        if float(text) != limit:
            break
    return text
