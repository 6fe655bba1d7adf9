"""Reading a dataset: plain JSON Lines or a frozen set, every problem reported at once.

A file is read once: the bytes that are hashed are the bytes that are parsed.
"""

import re
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError

from ragproof.dataset.frozen import Hasher, Hashes, explain_mismatch
from ragproof.dataset.schema import CaseProblems, read_case
from ragproof.errors import DatasetError, HashMismatchError
from ragproof.files import read_text
from ragproof.records import Case
from ragproof.strictjson import StrictJsonError, decode, loads, skip_space

MAX_BYTES = 512_000_000
MAX_PROBLEMS = 50
_FROZEN = re.compile(r'\s*\{\s*"(meta|cases)"\s*:')


@dataclass(frozen=True, slots=True)
class Dataset:
    """A validated set of cases.

    ``lines`` holds for each case the line of the file where it begins; ``hash``
    is what :func:`ragproof.dataset.frozen.write_frozen` would store, frozen or not.
    """

    path: Path
    cases: tuple[Case, ...]
    lines: "array[int]"
    hash: str
    frozen: bool


class FrozenMeta(BaseModel):
    """``meta`` of a frozen file. What this version does not use is carried, not read."""

    model_config = ConfigDict(extra="forbid", strict=True)

    dataset_hash: str
    hash_algorithm: str = "sha256"
    size: int | None = None
    case_hashes: list[list[str]] | None = None
    corpus_hash: str | None = None
    generation: dict[str, Any] | None = None


def load_dataset(path: Path) -> Dataset:
    """Read and validate a dataset; a frozen one is checked against its hash.

    Raises:
        DatasetError: the file cannot be read, is no dataset, or holds invalid
            cases; the message has a line for each problem with file, line, case and field.
        HashMismatchError: a frozen set was changed after freezing.
    """
    text = read_text(path, "dataset", MAX_BYTES, DatasetError)
    reader = _Reader(path)
    frozen = _FROZEN.match(text) is not None
    if frozen:
        meta = reader.read_frozen(text)
    else:
        reader.read_lines(text)
    del text
    hashes = reader.finish()
    if frozen:
        _check_hash(path, meta, hashes)
    return Dataset(path, tuple(reader.cases), reader.lines, hashes.dataset, frozen)


class _Reader:
    """Gathers the cases and the problems of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cases: list[Case] = []
        self.lines = array("I")
        self._hasher = Hasher()
        self._problems: list[str] = []

    def read_lines(self, text: str) -> None:
        """Take a case from each line that is not blank."""
        start, number = 0, 0
        while start < len(text):
            number += 1
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            line = text[start:end]
            start = end + 1
            if not line.strip():
                continue
            try:
                value = loads(line)
            except StrictJsonError as error:
                self._problem(number, f"not valid JSON: {error.message} (column {error.pos + 1})")
            else:
                self._take(number, value)

    def read_frozen(self, text: str) -> FrozenMeta:
        """Take the cases of ``{"meta": ..., "cases": [...]}`` one by one; return the meta."""
        cursor = _Cursor(text, self.path)
        meta: FrozenMeta | None = None
        found: set[str] = set()
        cursor.expect("{")
        while True:
            key = cursor.value()
            cursor.expect(":")
            if key in found or key not in ("meta", "cases"):
                cursor.fail(f"{key!r} is not expected here; a frozen set holds meta and cases")
            found.add(key)
            if key == "meta":
                meta = self._meta(cursor.value())
            else:
                self._take_array(cursor)
            if cursor.expect(",}") == "}":
                break
        cursor.end()
        if meta is None or "cases" not in found:
            cursor.fail("a frozen set holds meta and cases; one is missing")
        if meta.size is not None and meta.size != len(self.cases) and not self._problems:
            self._problems.append(
                f"{self.path}: meta.size is {meta.size}, but the file holds {len(self.cases)} cases"
            )
        return meta

    def finish(self) -> Hashes:
        """The hashes of all cases.

        Raises:
            DatasetError: there were problems, or no case at all.
        """
        if self._problems:
            shown = self._problems[:MAX_PROBLEMS]
            if len(shown) < len(self._problems):
                shown.append(f"... and {len(self._problems) - len(shown)} more problems")
            raise DatasetError("\n".join(shown), "mend the lines named above")
        if not self.cases:
            raise DatasetError(f"dataset {self.path} holds no case", "add at least one case")
        return self._hasher.finish()

    def _take_array(self, cursor: "_Cursor") -> None:
        cursor.expect("[")
        if cursor.peek() == "]":
            cursor.expect("]")
            return
        while True:
            self._take(cursor.line(), cursor.value())
            if cursor.expect(",]") == "]":
                return

    def _take(self, line: int, value: Any) -> None:
        name = value.get("id") if isinstance(value, dict) else None
        where = f"case {name!r}: " if isinstance(name, str) else ""
        try:
            case = read_case(value)
        except CaseProblems as error:
            for field, message in error.problems:
                self._problem(line, f"{where}{field}: {message}")
            return
        if case.id in self._hasher.seen:
            first = next(i for i, other in enumerate(self.cases) if other.id == case.id)
            self._problem(
                line,
                f"case {case.id!r}: id: is already taken by the case on line {self.lines[first]}",
            )
            return
        self.cases.append(case)
        self.lines.append(line)
        self._hasher.add(case)

    def _meta(self, value: Any) -> FrozenMeta:
        try:
            meta = FrozenMeta.model_validate(value)
        except ValidationError as error:
            lines = [
                f"{self.path}: meta.{'.'.join(map(str, item['loc']))}: {item['msg']}"
                for item in error.errors(include_url=False)
            ]
            raise DatasetError(
                "\n".join(lines), "freeze the set again with `ragproof freeze`"
            ) from None
        if meta.hash_algorithm != "sha256":
            raise DatasetError(
                f"{self.path}: meta.hash_algorithm is {meta.hash_algorithm!r}; only sha256 is known"
            )
        return meta

    def _problem(self, line: int, message: str) -> None:
        self._problems.append(f"{self.path}:{line}: {message}")


class _Cursor:
    """Walks through the text of one JSON document, value by value."""

    def __init__(self, text: str, path: Path) -> None:
        self._text = text
        self._path = path
        self._pos = 0
        self._line, self._counted = 1, 0

    def peek(self) -> str:
        self._pos = skip_space(self._text, self._pos)
        return self._text[self._pos : self._pos + 1]

    def expect(self, characters: str) -> str:
        found = self.peek()
        if not found:
            self.fail("the file ends in the middle: it was cut")
        if found not in characters:
            self.fail(f"expected {' or '.join(characters)}, found {found!r}")
        self._pos += 1
        return found

    def value(self) -> Any:
        self.peek()
        try:
            value, self._pos = decode(self._text, self._pos)
        except StrictJsonError as error:
            self._pos = error.pos
            cut = self._pos >= len(self._text.rstrip())
            self.fail("the file ends in the middle: it was cut" if cut else error.message)
        return value

    def line(self) -> int:
        self.peek()
        self._line += self._text.count("\n", self._counted, self._pos)
        self._counted = self._pos
        return self._line

    def end(self) -> None:
        if self.peek():
            self.fail("more text follows the end of the set")

    def fail(self, message: str) -> NoReturn:
        line = self._text.count("\n", 0, self._pos) + 1
        raise DatasetError(
            f"{self._path}:{line}: not a frozen set: {message}",
            "restore the file from version control, or freeze the set again",
        )


def _check_hash(path: Path, meta: FrozenMeta, hashes: Hashes) -> None:
    if hashes.dataset == meta.dataset_hash:
        return
    stored = None
    if meta.case_hashes is not None and all(len(pair) == 2 for pair in meta.case_hashes):
        stored = dict(meta.case_hashes)
    lines = [
        f"{path}: the set was changed after it was frozen",
        f"  stored hash {meta.dataset_hash}",
        f"  found hash  {hashes.dataset}",
        *(f"  {line}" for line in explain_mismatch(stored, hashes.cases)),
    ]
    raise HashMismatchError(
        "\n".join(lines), "restore the file, or review the change and run `ragproof freeze` again"
    )
