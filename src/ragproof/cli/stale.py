"""``ragproof stale``."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragproof.cli.console import one_line, say, tell
from ragproof.cli.corpora import read, reading
from ragproof.cli.sources import source_options
from ragproof.errors import ExitCode

if TYPE_CHECKING:
    from ragproof.generate.stale import Finding


@click.command("stale", short_help="List the cases whose source changed since they were made.")
@click.argument("dataset", type=click.Path(path_type=Path))
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(dataset: Path, as_json: bool, **given: Any) -> int:
    """Compare the cases of DATASET with the corpus that they were generated from. Exits with 1 if
    the source of any case changed or vanished.

    An unanswerable question counts as well if passages come nearest to it now which it was not
    compared with. Cases that people wrote name no source and are only counted."""
    from ragproof.dataset.load import load_dataset
    from ragproof.generate.stale import examine

    cases = load_dataset(dataset).cases
    findings = examine(cases, read(reading(given)))
    stale = [finding for finding in findings if finding.stale]
    counts = Counter(finding.state.value for finding in findings)
    if as_json:
        say(json.dumps({"cases": len(cases), "states": counts, "stale": _rows(stale)}))
    else:
        for finding in stale:
            say(f"{one_line(finding.case.id)}: {finding.state}: {one_line(finding.document)}")
        listed = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        say(f"{len(stale)} of {len(cases)} cases are stale" + (f" ({listed})" if cases else ""))
    if stale:
        tell(f"bring them up to date: ragproof generate --update {dataset} --corpus ...")
    return ExitCode.FAIL if stale else ExitCode.PASS


def _rows(stale: "list[Finding]") -> list[dict[str, str]]:
    return [
        {"id": one.case.id, "state": one.state.value, "document": one.document} for one in stale
    ]
