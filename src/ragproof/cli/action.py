"""``ragproof action``: what the GitHub Action runs. Each of its inputs is an option here."""

import os
import re
from pathlib import Path
from typing import Any

import click

from ragproof.cli.options import (
    DEFAULT_OUT,
    config_option,
    wait_for_option,
    wait_timeout_option,
)
from ragproof.errors import RagproofError


def _names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Names with commas or white space between them."""
    return tuple(filter(None, re.split(r"[,\s]+", value)))


_PATH = click.Path(path_type=Path)
_COUNT = click.IntRange(0, 100_000)


@click.command("action", short_help="What the GitHub Action runs: judge, and publish on GitHub.")
@click.option(
    "--mode",
    type=click.Choice(["gate", "freeze", "verify", "comment", "generate"]),
    default="gate",
    show_default=True,
    help="gate: ask the endpoint and judge. freeze: freeze the dataset. verify: check that it"
    " is unchanged. comment: post the results of a run that was not allowed to. generate: make the"
    " dataset from a corpus and propose it.",
)
@config_option
@click.option(
    "--dataset", type=_PATH, metavar="FILE", help="Dataset instead of the configured one."
)
@click.option("--expected-dataset-hash", metavar="HEX", help="Require this dataset hash.")
@click.option(
    "--allow-unfrozen", type=bool, default=False, metavar="BOOL", help="Take a set not frozen."
)
@click.option("--endpoint", metavar="URL", help="Address to ask instead of the configured one.")
@wait_for_option
@wait_timeout_option
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
    "--corpus",
    metavar="CORPUS",
    help="A folder, a file, or viking://scope/path. generate: what the dataset is made of."
    " gate: what it was made of; the report names the cases whose source changed.",
)
@click.option("--qa", type=_COUNT, metavar="N", help="For mode generate: questions.")
@click.option(
    "--multi-document",
    type=_COUNT,
    metavar="N",
    help="For mode generate: questions that take two documents to answer.",
)
@click.option(
    "--unanswerable",
    type=_COUNT,
    metavar="N",
    help="For mode generate: questions that the corpus does not answer.",
)
@click.option(
    "--injection",
    type=_COUNT,
    metavar="N",
    help="For mode generate: questions with a planted instruction.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="For mode generate: chooses what is asked about.",
)
@click.option(
    "--generator",
    type=click.Choice(["llm", "extractive"]),
    default="llm",
    show_default=True,
    help="For mode generate: ask a model, or make known-item questions without one.",
)
@click.option(
    "--domain",
    default="general",
    show_default=True,
    metavar="NAME",
    help="For mode generate: general, technical, legal or medical questions.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="For mode generate: the model to ask; by default RAGPROOF_GEN_MODEL.",
)
@click.option(
    "--base-url",
    metavar="URL",
    help="For mode generate: the address that it is asked at; by default RAGPROOF_GEN_BASE_URL.",
)
@click.option(
    "--update",
    type=bool,
    default=True,
    show_default=True,
    metavar="BOOL",
    help="For mode generate: keep cases whose source did not change.",
)
@click.option(
    "--out",
    type=_PATH,
    metavar="FILE",
    help="For mode generate: where the dataset stands; by default that of the configuration.",
)
@click.option(
    "--propose",
    type=bool,
    default=True,
    show_default=True,
    metavar="BOOL",
    help="For mode generate: open a pull request, or bring it up to date.",
)
@click.option(
    "--branch",
    default="ragproof/regenerate",
    show_default=True,
    metavar="NAME",
    help="For mode generate: the branch of that pull request.",
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
    request, outputs and annotations. Or make the dataset anew and propose it. The token comes in
    the variable GITHUB_TOKEN, the key of a model in RAGPROOF_GEN_API_KEY. Outside of GitHub Actions
    nothing is published."""
    from ragproof.cli import console, modes
    from ragproof.cli.comments import Commenter, Policy
    from ragproof.cli.publishing import Publisher, Shown
    from ragproof.cli.regenerate import Request
    from ragproof.github.environment import read_runner
    from ragproof.redact import Redactor

    token = os.environ.get("GITHUB_TOKEN", "")
    console.keep_secret(Redactor([token] if token else ()))
    runner = read_runner(os.environ)
    own = {name: given[name] for name in modes.Inputs._fields if name in given}
    request = Request(**{name: given[name] for name in Request._fields})
    inputs = modes.Inputs(**own, token=token, request=request)
    policy = Policy(given["comment"], given["comment_key"], given["comment_author"])
    commenter = Commenter(runner, policy, token)
    shown = Shown(given["summary"], given["annotations"], inputs.texts)
    publisher = Publisher(runner, shown, commenter)
    try:
        return modes.MODES[mode](inputs, runner, publisher)
    except RagproofError as error:
        publisher.problem(error, "generate" if mode == "generate" else "judge")
        raise
