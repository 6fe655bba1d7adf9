"""What a change does to the measure itself: the dataset, the gate and the rules.

A pull request that makes its own test easier should say so first.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple

from ragproof.config.load import parse_config
from ragproof.config.models import Config
from ragproof.dataset.diff import DatasetDiff, diff_datasets
from ragproof.dataset.load import Dataset, load_dataset
from ragproof.errors import RagproofError
from ragproof.files import within
from ragproof.github.api import Api
from ragproof.github.contents import read_base_file
from ragproof.report.escape import collapse, cut
from ragproof.report.parts import Note, Sample
from ragproof.report.untrusted import Untrusted

_CONFIG_BYTES = 1_000_000
_MEASURE = (
    "case_pass",
    "gate",
    "k",
    "metrics",
    "replace",
    "source_match",
    "strip_prefix",
)
_SHOWN = 8
_LENGTH = 160


class Measure(NamedTuple):
    """What a run is measured by. ``dataset_path`` is given where another dataset than that
    of the configuration is measured by."""

    config_path: Path
    config: Config
    dataset: Dataset
    dataset_path: Path | None


def changes_since(api: Api, base_sha: str, now: Measure, workspace: Path) -> list[Note]:
    """What differs from the measure as of a commit, the most telling first.

    Nothing where the commit has no configuration of this name: there is none to compare with.
    Files are looked for at the place in the repository that they have in ``workspace``.

    Raises:
        RagproofError: what is there at that commit cannot be read.
    """
    config_path = within(now.config_path, workspace)
    raw = None if config_path is None else read_base_file(api, config_path, base_sha, _CONFIG_BYTES)
    if raw is None:
        return []
    named = Path(f"{base_sha[:12]}:{config_path}")
    old = parse_config(raw.decode("utf-8-sig", "replace"), named)
    notes: list[Note] = []
    path = now.dataset_path
    if path is None and old.dataset is not None:
        path = now.config_path.parent / old.dataset
    dataset_path = None if path is None else within(path, workspace)
    if dataset_path is not None:
        notes += _dataset_notes(read_base_file(api, dataset_path, base_sha), now.dataset)
    keys = list(config_changes(old, now.config))
    if keys:
        notes.append(Note("The gate changed", "in this change:", _sample(keys)))
    return notes


def config_changes(old: Config, new: Config) -> Iterator[str]:
    """Settings that decide what passes and differ, as ``gate.min_coverage: 0.95 → 0.5``."""
    before = old.model_dump(mode="json", include=set(_MEASURE), exclude_none=True)
    after = new.model_dump(mode="json", include=set(_MEASURE), exclude_none=True)
    for key, was, is_ in _differences(before, after, ""):
        yield f"{key}: {_json(was)} → {_json(is_)}"


def dataset_changes(diff: DatasetDiff) -> tuple[str, list[str]]:
    """How many cases differ in which way, and their ids."""
    kinds = (
        ("changed", [case.id for case in diff.changed]),
        ("removed", list(diff.removed)),
        ("added", list(diff.added)),
    )
    words = ", ".join(f"{len(ids):,} {word}" for word, ids in kinds if ids)
    return words or "another order of the same cases", [one for _, ids in kinds for one in ids]


def _dataset_notes(raw: bytes | None, now: Dataset) -> Iterator[Note]:
    if raw is None:
        return
    with NamedTemporaryFile() as file:
        file.write(raw)
        file.flush()
        try:
            old = load_dataset(Path(file.name), changed=True)
        except RagproofError:
            yield Note("The dataset changed", "in this change; that of the base is not valid.")
            return
    if old.hash == now.hash:
        return
    words, ids = dataset_changes(diff_datasets(old.cases, now.cases))
    yield Note("The dataset changed", f"in this change: {words}:", _sample(ids))


def _differences(
    old: Mapping[str, Any], new: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, Any, Any]]:
    for key in dict.fromkeys([*old, *new]):
        was, is_ = old.get(key), new.get(key)
        name = f"{prefix}{key}"
        if isinstance(was, Mapping) and isinstance(is_, Mapping):
            yield from _differences(was, is_, f"{name}.")
        elif was != is_:
            yield name, was, is_


def _sample(texts: list[str]) -> Sample:
    shown = tuple(Untrusted(cut(collapse(text), _LENGTH)) for text in texts[:_SHOWN])
    return Sample(shown, len(texts) - len(shown))


def _json(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
