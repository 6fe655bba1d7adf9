"""What changed between two datasets, case by case."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from ragproof.dataset.schema import case_dict
from ragproof.records import Case
from ragproof.strictjson import canonical


class ChangedCase(NamedTuple):
    """A case that is in both sets with other content: the fields that differ."""

    id: str
    fields: tuple[str, ...]


class DatasetDiff(NamedTuple):
    """Differences, each list in the order of the set it comes from."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ChangedCase, ...]
    reordered: bool
    same: int

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.reordered)


def diff_datasets(old: Iterable[Case], new: Iterable[Case]) -> DatasetDiff:
    """Compare two sets by case id."""
    before = {case.id: case for case in old}
    after = {case.id: case for case in new}
    kept = [key for key in before if key in after]
    changed = tuple(
        ChangedCase(key, fields)
        for key in kept
        if (fields := _fields(case_dict(before[key]), case_dict(after[key])))
    )
    return DatasetDiff(
        added=tuple(key for key in after if key not in before),
        removed=tuple(key for key in before if key not in after),
        changed=changed,
        reordered=kept != [key for key in after if key in before],
        same=len(kept) - len(changed),
    )


def _fields(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, ...]:
    # As they are hashed: to Python 1 and 1.0 and true are the same.
    return tuple(
        key
        for key in dict.fromkeys([*old, *new])
        if canonical([old[key]] if key in old else [])
        != canonical([new[key]] if key in new else [])
    )
