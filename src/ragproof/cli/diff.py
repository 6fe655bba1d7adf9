"""``ragproof diff``."""

from pathlib import Path

import click

from ragproof.cli.console import one_line, say


@click.command("diff", short_help="Show what changed between two datasets.")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--exit-code", is_flag=True, help="Exit with 1 when the sets differ.")
def command(old: Path, new: Path, exit_code: bool) -> int:
    """Compare the datasets OLD and NEW case by case: added, removed, changed (with the fields
    that differ) and reordered. Either may be frozen or not."""
    from ragproof.dataset.diff import diff_datasets
    from ragproof.dataset.load import load_dataset

    before, after = load_dataset(old), load_dataset(new)
    diff = diff_datasets(before.cases, after.cases)
    for case_id in diff.removed:
        say(f"- {one_line(case_id)}", colour="red")
    for case_id in diff.added:
        say(f"+ {one_line(case_id)}", colour="green")
    for changed in diff.changed:
        say(f"~ {one_line(changed.id)}: {', '.join(changed.fields)}", colour="yellow")
    if diff.reordered:
        say("the order of cases changed")
    say(
        f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed,"
        f" {diff.same} the same"
    )
    say(
        f"hash {before.hash} -> {after.hash}" if before.hash != after.hash else f"hash {after.hash}"
    )
    return int(exit_code and bool(diff))
