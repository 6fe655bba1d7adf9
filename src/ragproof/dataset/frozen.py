"""The frozen form of a dataset: hashes, writing, and what a changed file changed.

``meta.dataset_hash`` is the SHA-256 of the canonical JSON of the list of cases, so
line endings, indentation and key order of the file do not matter and any change of
content does. ``meta.case_hashes`` lets a refusal name the cases that were changed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from ragproof.dataset.schema import DOCUMENTED, case_dict
from ragproof.records import Case
from ragproof.strictjson import canonical, canonical_texts, sha256_hex

CASE_HASH_DIGITS = 16
_NAMED = 100


class Hasher:
    """Hashes cases one by one, as if their list had been hashed at once."""

    def __init__(self) -> None:
        self._whole = hashlib.sha256(b"[")
        self._comma = b""

    def add(self, case: Case) -> bytes:
        """Take the next case; return its canonical form."""
        fields = case_dict(case)
        # Numbers can only stand in the origin.
        text = canonical_texts(fields) if case.origin is None else canonical(fields).encode("utf-8")
        self._whole.update(self._comma + text)
        self._comma = b","
        return text

    def finish(self) -> str:
        """The hash of all cases taken."""
        whole = self._whole.copy()
        whole.update(b"]")
        return whole.hexdigest()


class Hashes(NamedTuple):
    """Hash of the whole set, and of each case by id, in order."""

    dataset: str
    cases: dict[str, str]


def hash_cases(cases: Iterable[Case]) -> Hashes:
    """Hash a set of cases."""
    hasher = Hasher()
    single = {case.id: sha256_hex(hasher.add(case))[:CASE_HASH_DIGITS] for case in cases}
    return Hashes(hasher.finish(), single)


def extra_fields(cases: Iterable[Case]) -> list[str]:
    """Fields in use that only this project's loader knows."""
    return sorted({key for case in cases for key in case_dict(case)} - set(DOCUMENTED))


def write_frozen(
    out: TextIO,
    cases: Sequence[Case],
    *,
    plain: bool = False,
    made: Mapping[str, Any] | None = None,
) -> Hashes:
    """Write a frozen set, one case a line.

    ``plain`` leaves out the per-case hashes, which other loaders refuse. ``made`` says how the
    cases were made: ``corpus_hash`` and ``generation`` of the metadata.
    """
    hashes = hash_cases(cases)
    meta = {"dataset_hash": hashes.dataset, "hash_algorithm": "sha256", "size": len(cases)}
    meta |= made or {}
    out.write(f'{{"meta": {_compact(meta)[:-1]}')
    if not plain:
        out.write(',"case_hashes": [\n')
        _write_lines(out, hashes.cases.items())
        out.write("]")
    out.write('},\n"cases": [\n')
    _write_lines(out, map(case_dict, cases))
    out.write("]}\n")
    return hashes


def _write_lines(out: TextIO, values: Iterable[Any]) -> None:
    for number, value in enumerate(values):
        out.write(",\n" if number else "")
        out.write(_compact(value))
    out.write("\n")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def explain_mismatch(stored: Mapping[str, str] | None, found: Mapping[str, str]) -> list[str]:
    """What differs between the per-case hashes of a frozen file and its cases, in words."""
    if stored is None:
        return ["the file holds no hashes of single cases, so the changed ones cannot be named"]
    lines = [
        f"{what}: {_listed(ids)}"
        for what, ids in (
            ("changed", [key for key in found if key in stored and stored[key] != found[key]]),
            ("added", [key for key in found if key not in stored]),
            ("removed", [key for key in stored if key not in found]),
        )
        if ids
    ]
    kept = [key for key in stored if key in found]
    if kept != [key for key in found if key in stored]:
        lines.append("the order of the cases was changed")
    return lines or [
        "every case matches its own hash, in order: only the field meta.dataset_hash was edited"
        " (or cases together with their hashes)"
    ]


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(one if one.isprintable() else repr(one) for one in ids[:_NAMED]) + more
