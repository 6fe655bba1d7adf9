"""``ragproof verify``."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragproof.cli.console import say
from ragproof.errors import DatasetError

if TYPE_CHECKING:
    from ragproof.dataset.load import Dataset


@click.command("verify", short_help="Check that a frozen dataset is unchanged.")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--expected-hash", metavar="HEX", help="Also require this dataset hash.")
def command(dataset: Path, expected_hash: str | None) -> None:
    """Check that the frozen set DATASET is valid and was not changed since it was frozen; a
    changed one is refused, naming the cases that were changed, added or removed."""
    verify_dataset(dataset, expected_hash)


def verify_dataset(dataset: Path, expected_hash: str | None) -> "Dataset":
    """Check a frozen set and tell its hash.

    Raises:
        DatasetError: it is not valid, not frozen, changed, or not the one expected.
    """
    from ragproof.dataset.load import load_dataset, require_hash

    loaded = load_dataset(dataset)
    if not loaded.frozen:
        raise DatasetError(f"{dataset} is valid but not frozen", f"run `ragproof freeze {dataset}`")
    require_hash(loaded, expected_hash)
    kinds = Counter(case.kind.value for case in loaded.cases)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    say(f"{dataset}: {len(loaded.cases)} cases ({parts}), unchanged since frozen")
    say(f"hash {loaded.hash}")
    return loaded
