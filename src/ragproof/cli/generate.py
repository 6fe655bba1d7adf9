"""``ragproof generate``."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragproof.cli.corpora import reading
from ragproof.cli.sources import chunk_options, source_options
from ragproof.errors import UsageError

if TYPE_CHECKING:
    from ragproof.generate.run import Wanted

_COUNT = click.IntRange(0, 100_000)


@click.command("generate", short_help="Make a dataset from a corpus, for people to review.")
@source_options
@chunk_options
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("dataset.jsonl"),
    show_default=True,
    metavar="FILE",
    help="Where to write the cases; the ledger goes beside it.",
)
@click.option("--qa", type=_COUNT, metavar="N", help="Questions with an answer.")
@click.option(
    "--multi-document",
    type=_COUNT,
    metavar="N",
    help="Questions that take two documents to answer.",
)
@click.option(
    "--unanswerable", type=_COUNT, metavar="N", help="Questions that the corpus does not answer."
)
@click.option("--injection", type=_COUNT, metavar="N", help="Questions with a planted instruction.")
@click.option("--seed", type=int, default=0, show_default=True, help="Chooses what is asked about.")
@click.option(
    "--generator",
    type=click.Choice(["llm", "extractive"]),
    default="llm",
    show_default=True,
    help="Ask a model, or make known-item questions without one.",
)
@click.option(
    "--domain",
    default="general",
    show_default=True,
    metavar="NAME",
    help="What is asked for: general, technical, legal, medical, or a domain of --prompts.",
)
@click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Templates of your own that take the place of those that come with ragproof.",
)
@click.option(
    "--poison-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Plant instructions in documents, written here to be indexed, instead of in questions.",
)
@click.option(
    "--update",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="An older set: cases whose source did not change stay as they are.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where replies of the model are kept; by default in the user's cache folder.",
)
@click.option("--no-cache", is_flag=True, help="Keep no replies.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="AMOUNT",
    help="Spend no more than this; needs RAGPROOF_GEN_PRICE_IN and RAGPROOF_GEN_PRICE_OUT.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask before many calls are made.")
@click.option("--force", is_flag=True, help="Replace FILE even if it was edited.")
def command(**given: Any) -> int:
    """Make cases from a corpus and write them to a file that people review and edit before
    `ragproof freeze`. CORPUS is a folder, a file, or viking://scope/path on an OpenViking server.

    The model is named by RAGPROOF_GEN_MODEL, RAGPROOF_GEN_API_KEY and RAGPROOF_GEN_BASE_URL. Every
    candidate that is not delivered is counted with its reason."""
    from ragproof.cli.generating import Order, run

    return run(
        Order(
            reading=reading(given),
            out=given["out"],
            wanted=_wanted(given),
            seed=given["seed"],
            extractive=given["generator"] == "extractive",
            domain=given["domain"],
            prompts=given["prompts"],
            poison=given["poison_dir"],
            update=given["update"],
            cache=_cache(given),
            max_cost=given["max_cost"],
            yes=given["yes"],
            force=given["force"],
        )
    )


def _wanted(given: dict[str, Any]) -> "Wanted | None":
    """The counts, ``None`` if no option gives any."""
    from ragproof.generate.run import Wanted

    counts = [given[name] for name in ("qa", "unanswerable", "injection", "multi_document")]
    if counts.count(None) == len(counts):
        return None
    wanted = Wanted(*(count or 0 for count in counts))
    if not any(wanted):
        raise UsageError("no cases are asked for", "give --qa, say, a number of 1 or more")
    return wanted


def _cache(given: dict[str, Any]) -> Path | None:
    """The folder for replies, ``None`` for none."""
    from ragproof.llm.cache import cache_folder

    if given["cache"] is not None and given["no_cache"]:
        raise UsageError("--cache and --no-cache exclude each other", "leave one out")
    if given["no_cache"]:
        return None
    return given["cache"] or cache_folder(os.environ)
