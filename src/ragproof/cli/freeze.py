"""``ragproof freeze``."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import click

from ragproof.cli.console import say, warn
from ragproof.errors import UsageError
from ragproof.strictjson import loads

_GENERATION = ("ragproof", "generator", "model", "domain", "prompts", "seed", "chunking")
"""What of a ledger is kept with the frozen set."""
_SUFFIX = re.compile(r"(\.frozen)?\.(jsonl|ndjson|json)$")


@click.command("freeze", short_help="Freeze a dataset: validate it and seal it with a hash.")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write; by default beside DATASET, ending in .frozen.json.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Leave out the hashes of single cases, which other loaders refuse.",
)
def command(dataset: Path, out: Path | None, plain: bool) -> None:
    """Validate the cases of DATASET and write them as a frozen set, whose hash every later run
    checks. A frozen set is frozen anew, in its place, and what was changed since is told."""
    freeze_dataset(dataset, out, plain=plain)


class Frozen(NamedTuple):
    """A set that was written."""

    path: Path
    hash: str
    cases: int


def stem(dataset: Path) -> str:
    """The name of a dataset without what says of which form it is."""
    return _SUFFIX.sub("", dataset.name)


def frozen_place(dataset: Path) -> Path:
    """Where the frozen set that belongs to a dataset stands."""
    return dataset.with_name(f"{stem(dataset)}.frozen.json")


def _made(dataset: Path) -> dict[str, Any]:
    """How a dataset was generated, from the ledger beside it; nothing where there is none."""
    try:
        ledger = loads(dataset.with_name(f"{stem(dataset)}.ledger.json").read_text("utf-8"))
        generation = {key: ledger[key] for key in _GENERATION if key in ledger}
        corpus = ledger.get("corpus_hash")
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    made = {"corpus_hash": corpus} if isinstance(corpus, str) else {}
    return made | ({"generation": generation} if generation else {})


def freeze_dataset(dataset: Path, out: Path | None, *, plain: bool) -> Frozen:
    """Freeze a dataset and tell where it is.

    Raises:
        DatasetError: it is not valid.
        StorageError: it cannot be written.
    """
    from ragproof.dataset.frozen import extra_fields, write_frozen
    from ragproof.dataset.load import load_dataset
    from ragproof.files import replacing

    loaded = load_dataset(dataset, changed=True)
    target = out or frozen_place(dataset)
    if not loaded.frozen and target.resolve() == dataset.resolve():
        raise UsageError(f"{target} would take the place of the dataset", "name another with --out")
    if loaded.changes:
        warn(loaded.changes)
    with replacing(target) as file:
        hashes = write_frozen(file, loaded.cases, plain=plain, made=_made(dataset))
    extra = extra_fields(loaded.cases) if plain else []
    if extra:
        warn(f"the cases hold {', '.join(extra)}, which loaders other than ragproof-action refuse")
    say(f"froze {len(loaded.cases)} cases into {target}")
    say(f"hash {hashes.dataset}")
    return Frozen(target, hashes.dataset, len(loaded.cases))
