"""``ragproof report``."""

from pathlib import Path

import click

from ragproof.cli.console import say
from ragproof.errors import UsageError


@click.command("report", short_help="Make reports from a saved run.")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--md", type=click.Path(path_type=Path), metavar="FILE", help="Write Markdown.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--json",
    "json_",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write verdict, metrics and gate as JSON, without the cases.",
)
def command(run: Path, md: Path | None, junit: Path | None, json_: Path | None) -> None:
    """Make reports from RUN, a run.json, asking nothing. Without options the summary is
    printed. The exit code is 0 whatever the verdict: `ragproof gate` is for that."""
    from ragproof.cli import reports
    from ragproof.results.runfile import RunFile

    targets = [path.resolve() for path in (md, junit, json_) if path is not None]
    if len(set(targets)) != len(targets) or run.resolve() in targets:
        raise UsageError("two of the files named are the same", "name another file")
    saved = RunFile(run)
    if md is not None or junit is not None:
        reports.make(saved, md=md, junit=junit)
    if json_ is not None:
        reports.write_summary_json(saved, json_)
    for path in (md, junit, json_):
        if path is not None:
            say(f"wrote {path}")
    if not targets:
        reports.print_summary(saved)
