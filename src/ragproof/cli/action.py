"""``ragproof action``: what the GitHub Action runs. Each of its inputs is an option here."""

import os
import re
from pathlib import Path
from typing import Any

import click

from ragproof.cli.options import DEFAULT_CONFIG, DEFAULT_OUT
from ragproof.errors import RagproofError


def _names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Names with commas or white space between them."""
    return tuple(filter(None, re.split(r"[,\s]+", value)))


_PATH = click.Path(path_type=Path)


@click.command("action", short_help="What the GitHub Action runs: judge, and publish on GitHub.")
@click.option(
    "--mode",
    type=click.Choice(["gate", "freeze", "verify", "comment"]),
    default="gate",
    show_default=True,
    help="gate: ask the endpoint and judge. freeze: freeze the dataset. verify: check that it"
    " is unchanged. comment: post the results of a run that was not allowed to.",
)
@click.option(
    "--config",
    type=_PATH,
    default=DEFAULT_CONFIG,
    show_default=True,
    metavar="FILE",
    help="The configuration.",
)
@click.option(
    "--dataset", type=_PATH, metavar="FILE", help="Dataset instead of the configured one."
)
@click.option("--expected-dataset-hash", metavar="HEX", help="Require this dataset hash.")
@click.option(
    "--allow-unfrozen", type=bool, default=False, metavar="BOOL", help="Take a set not frozen."
)
@click.option("--endpoint", metavar="URL", help="Address to ask instead of the configured one.")
@click.option(
    "--wait-for", metavar="URL", help="Wait until this address answers with a status of success."
)
@click.option(
    "--wait-timeout",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for it.",
)
@click.option(
    "--allowed-hosts",
    callback=_names,
    default="",
    metavar="HOSTS",
    help="The only hosts that may be asked; needed where the event runs the code of others.",
)
@click.option(
    "--env",
    callback=_names,
    default="",
    metavar="NAMES",
    help="Variables the configuration may use.",
)
@click.option("--select", metavar="KEY=VALUE,...", help="Only cases with this kind, tag or id.")
@click.option(
    "--fail-on",
    type=click.Choice(["failure", "never"]),
    default="failure",
    show_default=True,
    help="never: a gate that fails ends with 0; errors still end with 2 or 3.",
)
@click.option(
    "--comment",
    type=click.Choice(["auto", "always", "on-failure", "never"]),
    default="auto",
    show_default=True,
    help="auto: on pull requests. always: also warn where there is none. on-failure: only once"
    " the gate fails, and then kept up to date.",
)
@click.option(
    "--comment-key", default="", metavar="TEXT", help="Tells comments of several jobs apart."
)
@click.option(
    "--comment-author",
    default="github-actions[bot]",
    show_default=True,
    metavar="LOGIN",
    help="Whose comments are ours: the user of the token.",
)
@click.option(
    "--content",
    type=click.Choice(["full", "ids"]),
    default="full",
    show_default=True,
    help="ids: publish no text of dataset, corpus or endpoint; only ids, ranks and scores.",
)
@click.option(
    "--results", type=_PATH, metavar="PATH", help="For mode comment: run.json, or its folder."
)
@click.option(
    "--summary",
    type=bool,
    default=True,
    show_default=True,
    metavar="BOOL",
    help="Write the report to the job summary.",
)
@click.option(
    "--annotations",
    type=bool,
    default=True,
    show_default=True,
    metavar="BOOL",
    help="Annotate the worst cases.",
)
@click.option(
    "--output-dir",
    type=_PATH,
    default=DEFAULT_OUT,
    show_default=True,
    metavar="DIR",
    help="Folder for the results.",
)
def command(mode: str, **given: Any) -> int:
    """Judge the RAG endpoint and publish the result on GitHub: job summary, comment on the pull
    request, outputs and annotations. The token comes in the variable GITHUB_TOKEN. Outside of
    GitHub Actions nothing is published."""
    from ragproof.cli import console, modes
    from ragproof.cli.comments import Commenter, Policy
    from ragproof.cli.publishing import Publisher, Shown
    from ragproof.github.environment import read_runner
    from ragproof.redact import Redactor

    token = os.environ.get("GITHUB_TOKEN", "")
    console.keep_secret(Redactor([token] if token else ()))
    runner = read_runner(os.environ)
    own = {name: given[name] for name in modes.Inputs._fields if name in given}
    inputs = modes.Inputs(**own, token=token)
    policy = Policy(given["comment"], given["comment_key"], given["comment_author"])
    commenter = Commenter(runner, policy, token)
    shown = Shown(given["summary"], given["annotations"], inputs.texts)
    publisher = Publisher(runner, shown, commenter)
    try:
        return modes.MODES[mode](inputs, runner, publisher)
    except RagproofError as error:
        publisher.problem(error)
        raise
