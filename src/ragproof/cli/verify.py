"""``ragproof verify``."""

from collections import Counter
from pathlib import Path

import click

from ragproof.cli.console import say
from ragproof.errors import DatasetError, HashMismatchError


@click.command("verify", short_help="Check that a frozen dataset is unchanged.")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--expected-hash", metavar="HEX", help="Also require this dataset hash.")
def command(dataset: Path, expected_hash: str | None) -> None:
    """Check that the frozen set DATASET is valid and was not changed since it was frozen; a
    changed one is refused, naming the cases that were changed, added or removed."""
    from ragproof.dataset.load import load_dataset

    loaded = load_dataset(dataset)
    if not loaded.frozen:
        raise DatasetError(f"{dataset} is valid but not frozen", f"run `ragproof freeze {dataset}`")
    if expected_hash is not None and expected_hash.lower() != loaded.hash:
        raise HashMismatchError(
            f"{dataset} has the hash {loaded.hash}, expected {expected_hash}",
            "use the dataset that the expected hash belongs to",
        )
    kinds = Counter(case.kind.value for case in loaded.cases)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    say(f"{dataset}: {len(loaded.cases)} cases ({parts}), unchanged since frozen")
    say(f"hash {loaded.hash}")
