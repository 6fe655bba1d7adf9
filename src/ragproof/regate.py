"""Judging a saved run by another gate, from the scores that it holds."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ragproof.config.models import Bounds, Config
from ragproof.errors import ConfigError, RunFileError
from ragproof.gate import GateResult, check_names, decide
from ragproof.metrics import parse_metric
from ragproof.records import Kind, Outcome
from ragproof.results.runfile import Run, counts, gate_fields
from ragproof.scoring.plan import Rules, judge
from ragproof.scoring.table import Labels, ScoreTable


class Rejudged(NamedTuple):
    """A run with other outcomes and another verdict in place of its own."""

    run: Run
    head: dict[str, Any]
    rules: Rules
    known: frozenset[str]

    def cases(self) -> Iterator[dict[str, Any]]:
        """The cases as they stand now."""
        return _judged(self.run, self.rules, self.known)


class Regated(NamedTuple):
    """The new verdict, and the run as it is judged now."""

    result: GateResult
    run: Rejudged


def regate(run: Run, config: Config) -> Regated:
    """Judge the cases of ``run`` anew by the ``case_pass`` rules and the gate of ``config``.

    Raises:
        ConfigError: the gate or a rule names a metric, case or tag that the run does not hold.
        RunFileError: the file is malformed.
    """
    gate = config.gate
    rules = _rules(run, config)
    known = frozenset(gate.allow_failing)
    table = _read_table(run, rules, known)
    ids = [case.id for case in table.cases]
    if len(set(ids)) != len(ids):
        raise RunFileError("a case stands twice in the run", "use the run.json of one run")
    dataset = run.head["dataset"]
    if dataset["selected"] != dataset["cases"]:
        # Of cases that were left out of the run nothing is known here.
        ids += [*gate.required.cases, *gate.allow_failing]
    check_names(gate, table, ids, {tag for case in table.cases for tag in case.tags})
    result = decide(gate, table, complete=run.head["complete"])
    head = {
        **run.head,
        "verdict": result.verdict,
        "exit_code": int(result.exit_code),
        "reasons": result.reasons,
        "counts": counts(table),
        "gate": gate_fields(result, gate.min_coverage),
    }
    return Regated(result, Rejudged(run, head, rules, known))


def _read_table(run: Run, rules: Rules, known: frozenset[str]) -> ScoreTable:
    labels = [
        Labels(case["id"], Kind(case["kind"]), tuple(case["tags"]), case["language"])
        for case in run.cases()
    ]
    table = ScoreTable(_measured(run), labels)
    for index, case in enumerate(_judged(run, rules, known)):
        if case["outcome"] == Outcome.ERROR:
            continue
        outcome = Outcome(case["outcome"])
        table.add(index, outcome, case["scores"], case["unscored"], case["latency_s"])
        table.with_chunks += bool(case["retrieved"])
    return table


def _judged(run: Run, rules: Rules, known: frozenset[str]) -> Iterator[dict[str, Any]]:
    for case in run.cases():
        fields: dict[str, Any] = {"known_failure": case["id"] in known}
        if case["outcome"] != Outcome.ERROR:
            outcome, reasons = judge(rules[Kind(case["kind"])], case["scores"], case["unscored"])
            fields |= {"outcome": outcome.value, "reasons": reasons}
        yield {**case, **fields}


def _measured(run: Run) -> list[str]:
    names = (row["name"] for row in run.head["metrics"])
    return [name for name in names if not name.startswith("latency.")]


def _rules(run: Run, config: Config) -> Rules:
    """The rules of the configuration, and where it has none those of the run."""
    measured = set(_measured(run))
    missing = [
        f"case_pass.{kind}: {name} was not measured in this run"
        for kind, rules in config.case_pass.items()
        for name in rules
        if parse_metric(name).column not in measured
    ]
    if missing:
        raise ConfigError("\n".join(missing), "leave the rule out, or run the evaluation anew")
    try:
        saved = {
            Kind(kind): {name: Bounds.model_validate(bounds) for name, bounds in rules.items()}
            for kind, rules in run.head["settings"]["case_pass"].items()
        }
    except ValueError:
        raise RunFileError(
            "the run's settings.case_pass holds bounds that cannot be",
            "use the run.json that `ragproof run` wrote",
        ) from None
    return {**{kind: {} for kind in Kind}, **saved, **config.case_pass}
