"""Judging a saved run by another gate, from the scores that it holds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ragproof.config.models import Bounds, Config
from ragproof.errors import RunFileError
from ragproof.gate import GateResult, check_names, decide
from ragproof.records import Kind, Outcome
from ragproof.results.runfile import RunFile, counts, gate_fields
from ragproof.scoring.plan import judge
from ragproof.scoring.table import Labels, ScoreTable


class Regated(NamedTuple):
    """The new verdict, and the head of the run with it in place of the old."""

    result: GateResult
    head: dict[str, Any]


def regate(run: RunFile, config: Config) -> Regated:
    """Judge the cases of ``run`` anew by the ``case_pass`` rules and the gate of ``config``.

    Raises:
        ConfigError: the gate names a metric, case or tag that the run does not hold.
        RunFileError: the file is malformed.
    """
    try:
        table, first_failure = _read_table(run, config)
        selected = run.head["dataset"]["selected"] != run.head["dataset"]["cases"]
        complete = bool(run.head["complete"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunFileError(
            f"{run.path} is not a run as `ragproof run` writes it ({error!r})"
        ) from None
    ids = [case.id for case in table.cases]
    gate = config.gate
    if selected:
        # Of cases that were left out of the run nothing is known here.
        ids += [*gate.required.cases, *gate.allow_failing]
    check_names(gate, table, ids, {tag for case in table.cases for tag in case.tags})
    result = decide(gate, table, complete=complete, first_failure=first_failure)
    head = {
        **run.head,
        "verdict": result.verdict,
        "exit_code": int(result.exit_code),
        "reasons": result.reasons,
        "counts": counts(table),
        "gate": gate_fields(result, gate.min_coverage),
    }
    return Regated(result, head)


def _read_table(run: RunFile, config: Config) -> tuple[ScoreTable, str]:
    labels = [
        Labels(case["id"], Kind(case["kind"]), tuple(case["tags"]), case["language"])
        for case in run.cases()
    ]
    names = [row["name"] for row in run.head["metrics"] if not row["name"].startswith("latency.")]
    table = ScoreTable(names, labels)
    rules = _rules(run, config)
    first_failure = ""
    for index, case in enumerate(run.cases()):
        if case["outcome"] == Outcome.ERROR:
            first_failure = first_failure or str(case["failure"]["message"])
            continue
        outcome, _ = judge(rules[labels[index].kind], case["scores"], case["unscored"])
        table.add(index, outcome, case["scores"], case["unscored"], case["latency_s"])
        table.responses += 1
        table.with_chunks += bool(case["retrieved"])
    return table, first_failure


def _rules(run: RunFile, config: Config) -> Mapping[Kind, Mapping[str, Bounds]]:
    """The rules of the configuration, and where it has none those of the run."""
    saved = {
        Kind(kind): {name: Bounds(**bounds) for name, bounds in rules.items()}
        for kind, rules in run.head["settings"]["case_pass"].items()
    }
    return {**saved, **config.case_pass}
