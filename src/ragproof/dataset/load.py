"""Reading a dataset: plain JSON Lines or a frozen set, every problem reported at once.

A file is read once: the bytes that are hashed are the bytes that are parsed.
"""

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragproof.dataset.frozen import Hasher, explain_mismatch, hash_cases
from ragproof.dataset.quick import read_quickly
from ragproof.dataset.schema import CaseProblems, read_case
from ragproof.dataset.stream import Cursor, DatasetFile
from ragproof.errors import DatasetError, HashMismatchError
from ragproof.records import Case
from ragproof.strictjson import StrictJsonError, canonical, loads

MAX_PROBLEMS = 50
_LONGEST_NAME = 80
_FROZEN = re.compile(rb'\s*\{\s*"(?:meta|cases)"\s*:')
_ARRAY = re.compile(rb"\s*\[")


@dataclass(frozen=True, slots=True)
class Dataset:
    """A validated set of cases.

    ``lines`` holds for each case the line of the file where it begins; ``hash``
    is what :func:`ragproof.dataset.frozen.write_frozen` would store, frozen or not.
    ``changes`` says what was changed since the set was frozen, empty if nothing was.
    """

    path: Path
    cases: tuple[Case, ...]
    lines: "array[int]"
    hash: str
    frozen: bool
    changes: str = ""


class FrozenMeta(BaseModel):
    """``meta`` of a frozen file. What this version does not use is carried, not read."""

    model_config = ConfigDict(extra="forbid", strict=True)

    dataset_hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    hash_algorithm: Literal["sha256"] = "sha256"
    size: int | None = None
    case_hashes: list[Annotated[list[str], Field(min_length=2, max_length=2)]] | None = None
    corpus_hash: str | None = None
    generation: dict[str, Any] | None = None


def require_hash(dataset: Dataset, expected: str | None) -> None:
    """See that a dataset is the one that is expected, if one is.

    Raises:
        HashMismatchError: it is another.
    """
    if expected is not None and expected.lower() != dataset.hash:
        raise HashMismatchError(
            f"{dataset.path} has the hash {dataset.hash}, expected {expected}",
            "use the dataset that the expected hash belongs to",
        )


def load_dataset(path: Path, *, changed: bool = False) -> Dataset:
    """Read and validate a dataset; a frozen one is checked against its hash.

    ``changed`` takes a set that was changed after freezing, and says what was changed.

    Raises:
        DatasetError: the file cannot be read, is no dataset, or holds invalid
            cases; the message has a line for each problem with file, line, case and field.
        HashMismatchError: a frozen set was changed after freezing.
    """
    with DatasetFile(path) as file:
        frozen = file.begins_with(_FROZEN)
        reader = _Reader(path)
        meta = None
        if frozen:
            meta = reader.read_frozen(Cursor(file))
        elif file.begins_with(_ARRAY):
            raise DatasetError(
                f"{path}:1: is a JSON array, but a dataset is one JSON object a line",
                "write each case on a line of its own, without brackets and commas around",
            )
        else:
            reader.read_lines(file.lines())
    found = reader.finish()
    changes = ""
    if meta is not None and found != meta.dataset_hash:
        changes = "\n".join(
            [
                f"{path}: the set was changed after it was frozen",
                f"  stored hash {meta.dataset_hash}",
                f"  found hash  {found}",
                *(f"  {line}" for line in reader.explain()),
            ]
        )
    elif meta is not None and meta.size not in (None, len(reader.cases)):
        changes = f"{path}: meta.size is {meta.size}, but the set holds {len(reader.cases)} cases"
    if changes and not changed:
        raise HashMismatchError(
            changes, "restore the file, or review the change and run `ragproof freeze` again"
        )
    return Dataset(path, tuple(reader.cases), reader.lines, found, frozen, changes)


class _Reader:
    """Gathers the cases and the problems of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cases: list[Case] = []
        self.lines = array("I")
        self._hasher = Hasher()
        self._stored: str | None = None
        """``meta.case_hashes`` as text, which takes a fifth of the memory."""
        self._ids: set[str] = set()
        self._first_lines: dict[str, int] = {}
        self._blank = True
        self._problems: list[str] = []
        self._more_problems = 0

    def read_lines(self, lines: Iterable[str]) -> None:
        """Take a case from each line that is not blank."""
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            self._blank = False
            if (case := read_quickly(line)) is not None:
                self._keep(number, case)
                continue
            try:
                value = loads(line)
            except StrictJsonError as error:
                column = min(error.pos, len(line.rstrip())) + 1
                self._problem(number, f"not valid JSON: {error.message} (column {column})")
            else:
                self._take(number, value)

    def read_frozen(self, cursor: Cursor) -> FrozenMeta | None:
        """Take the cases of ``{"meta": ..., "cases": [...]}`` one by one; return the meta."""
        self._blank = False
        meta: FrozenMeta | None = None
        found: set[str] = set()
        cursor.expect("{")
        while True:
            key = cursor.value()
            cursor.expect(":")
            if key in found or key not in ("meta", "cases"):
                cursor.fail(
                    f"{_shown(key)} is not expected here; a frozen set holds meta and cases"
                )
            found.add(key)
            if key == "meta":
                meta = self._meta(cursor.line(), cursor.value())
            else:
                self._take_array(cursor)
            if cursor.expect(",}") == "}":
                break
        cursor.end()
        if len(found) < 2:
            cursor.fail("a frozen set holds meta and cases; one is missing")
        return meta

    def finish(self) -> str:
        """The hash of all cases.

        Raises:
            DatasetError: there were problems, or no case at all.
        """
        if self._problems:
            if self._more_problems:
                self._problems.append(f"... and {self._more_problems} more problems")
            raise DatasetError("\n".join(self._problems), "mend the lines named above")
        if not self.cases:
            what = "is empty" if self._blank else "holds no case"
            raise DatasetError(f"dataset {self.path} {what}", "add at least one case")
        return self._hasher.finish()

    def explain(self) -> list[str]:
        """What the hashes of single cases say about a set whose hash does not match."""
        stored = None if self._stored is None else dict(loads(self._stored))
        return explain_mismatch(stored, hash_cases(self.cases).cases)

    def _take_array(self, cursor: Cursor) -> None:
        cursor.expect("[")
        if cursor.peek() == "]":
            cursor.expect("]")
            return
        while True:
            line = cursor.line()
            if (case := read_quickly(text := cursor.rest_of_line())) is not None:
                cursor.skip(text)
                self._keep(line, case)
            else:
                self._take(line, cursor.value())
            if cursor.expect(",]") == "]":
                return

    def _take(self, line: int, value: Any) -> None:
        try:
            case = read_case(value)
        except CaseProblems as error:
            name = value.get("id") if isinstance(value, dict) else None
            where = f"case {_shown(name)}: " if isinstance(name, str) else ""
            for field, message in error.problems:
                self._problem(line, f"{where}{field}: {message}")
        else:
            self._keep(line, case)

    def _keep(self, line: int, case: Case) -> None:
        if case.id in self._ids:
            if not self._first_lines:
                pairs = zip(self.cases, self.lines, strict=True)
                self._first_lines = {case.id: line for case, line in pairs}
            first = self._first_lines[case.id]
            self._problem(
                line, f"case {_shown(case.id)}: id: is already taken by the case on line {first}"
            )
            return
        self.cases.append(case)
        self.lines.append(line)
        self._ids.add(case.id)
        if self._first_lines:
            self._first_lines[case.id] = line
        self._hasher.add(case)

    def _meta(self, line: int, value: Any) -> FrozenMeta | None:
        try:
            meta = FrozenMeta.model_validate(value)
        except ValidationError as error:
            for item in error.errors(include_url=False):
                field = ".".join(["meta", *map(str, item["loc"])])
                self._problem(line, f"{_cut(field)}: {_sentence(item)}")
            return None
        if meta.case_hashes is not None:
            self._stored = canonical(meta.case_hashes)
        return meta.model_copy(update={"case_hashes": None})

    def _problem(self, line: int, message: str) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(f"{self.path}:{line}: {message}")
        else:
            self._more_problems += 1


def _sentence(item: Any) -> str:
    if item["type"] == "extra_forbidden":
        close = get_close_matches(str(item["loc"][-1]), FrozenMeta.model_fields, n=1)
        return "unknown field" + (f"; did you mean {close[0]}?" if close else "")
    return "is missing" if item["type"] == "missing" else str(item["msg"]).lower()


def _shown(name: Any) -> str:
    return _cut(repr(name))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "..."
