"""``ragproof run``."""

from pathlib import Path

import click

from ragproof.cli.console import tell, warn
from ragproof.cli.options import config_option, out_option, wait_for_option, wait_timeout_option
from ragproof.errors import UsageError


@click.command("run", short_help="Ask the endpoint every question, score, gate and report.")
@config_option
@click.option(
    "--dataset",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Dataset to use instead of the configured one; JSON Lines or frozen.",
)
@click.option("--endpoint", metavar="URL", help="Address to ask instead of the configured one.")
@click.option(
    "--responses",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Score these saved responses (responses.jsonl) and ask nothing.",
)
@out_option
@click.option(
    "--select",
    metavar="KEY=VALUE,...",
    help="Only cases with this kind, tag, language or id: kind=qa,tag=billing.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N cases.")
@click.option(
    "--env",
    "env",
    multiple=True,
    metavar="NAME",
    help="Let the configuration use this environment variable (names that begin with"
    " RAGPROOF_ need no leave). May be given more than once.",
)
@wait_for_option
@wait_timeout_option
@click.option("--no-gate", is_flag=True, help="Only measure: enforce no threshold.")
@click.option("--expected-hash", metavar="HEX", help="Require this dataset hash.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    config: Path,
    dataset: Path | None,
    endpoint: str | None,
    responses: Path | None,
    out: Path,
    select: str | None,
    limit: int | None,
    env: tuple[str, ...],
    wait_for: str | None,
    wait_timeout: float,
    no_gate: bool,
    expected_hash: str | None,
) -> int:
    """Verify the dataset, ask the endpoint about every case, score what comes back, gate on the
    thresholds, and write run.json, responses.jsonl, report.md and junit.xml into --out."""
    from ragproof.cli import evaluate

    for name, value in (("--endpoint", endpoint), ("--wait-for", wait_for)):
        if responses is not None and value is not None:
            raise UsageError(f"--responses and {name} exclude each other", "leave one out")
    settings = evaluate.read_settings(config, dataset, endpoint, no_gate=no_gate)
    loaded = evaluate.read_dataset(settings, expected_hash)
    if not loaded.frozen:
        warn(f"{loaded.path} is not frozen: anyone can change it unnoticed; see `ragproof freeze`")
    job = evaluate.make_job(settings, loaded, select, limit)
    if responses is not None:
        tell(f"scoring {responses}")
        finished = evaluate.score(job, responses, out)
        evaluate.conclude(finished, out)
        return int(finished.result.exit_code)
    secrets = evaluate.resolve(settings, env)
    if wait_for is not None:
        evaluate.wait(wait_for, wait_timeout)
    asked = evaluate.ask(job, secrets, out)
    evaluate.conclude(asked.finished, out)
    if asked.advice:
        warn(asked.advice)
    return asked.exit_code
