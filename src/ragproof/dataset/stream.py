"""Reading the text of a dataset piece by piece, so that it is never held beside its cases."""

import codecs
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from ragproof.errors import DatasetError
from ragproof.files import open_regular
from ragproof.strictjson import StrictJsonError, decode, skip_space

MAX_BYTES = 512_000_000
_PIECE = 1 << 16
_TOKEN = 16
"""A token of JSON that was cut (``tru``, ``\\u12``) is noticed at most so far from the end."""


class DatasetFile:
    """A file that is opened once and read once, from front to back.

    Every method raises ``DatasetError`` where the file cannot be read, is larger than
    ``MAX_BYTES`` or is not UTF-8.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._taken = 0
        try:
            self._file = open_regular(path)
            if self._file.peek(1).startswith(codecs.BOM_UTF8):
                self._file.read(len(codecs.BOM_UTF8))
        except FileNotFoundError:
            raise DatasetError(f"dataset {path} does not exist", "check the path") from None
        except OSError as problem:
            raise self._cannot_read(problem) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def begins_with(self, pattern: re.Pattern[bytes]) -> bool:
        """Whether the first bytes match."""
        return pattern.match(self._file.peek(1)) is not None

    def lines(self) -> Iterator[str]:
        """All lines."""
        read = partial(self._file.readline, MAX_BYTES)
        number = 0
        while raw := self._take(read):
            number += 1
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                raise self.not_utf8(number) from None
            yield text

    def read(self, size: int) -> bytes:
        """The next bytes, empty at the end."""
        return self._take(partial(self._file.read, size))

    def not_utf8(self, line: int) -> DatasetError:
        """What to raise where the bytes of a line are no text."""
        return DatasetError(
            f"{self.path}:{line}: the dataset is not UTF-8", "save the file as UTF-8"
        )

    def _take(self, read: Callable[[], bytes]) -> bytes:
        try:
            raw = read()
        except OSError as problem:
            raise self._cannot_read(problem) from None
        self._taken += len(raw)
        if self._taken > MAX_BYTES:
            raise DatasetError(
                f"dataset {self.path} is larger than {MAX_BYTES / 1_000_000:g} MB",
                "split it into several sets",
            )
        return raw

    def _cannot_read(self, problem: OSError) -> DatasetError:
        return DatasetError(
            f"dataset {self.path} cannot be read: {problem.strerror or problem}", "check the path"
        )


class Cursor:
    """Walks through the text of one JSON document, value by value.

    Only the piece around the value at hand is held.
    """

    def __init__(self, file: DatasetFile) -> None:
        self._path = file.path
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._pos = 0
        self._line = 1
        """Line of ``_counted``."""
        self._counted = 0

    def peek(self) -> str:
        """The next character that is no white space, empty at the end of the file."""
        while True:
            self._pos = skip_space(self._text, self._pos)
            if self._pos < len(self._text):
                return self._text[self._pos]
            if not self._more():
                return ""

    def expect(self, characters: str) -> str:
        """Step over the next character, which must be one of these."""
        found = self.peek()
        if not found:
            self.fail("the file ends in the middle: it was cut")
        if found not in characters:
            self.fail(f"expected {' or '.join(characters)}, found {found!r}")
        self._pos += 1
        return found

    def value(self) -> Any:
        """Step over the next value."""
        self.peek()
        while True:
            try:
                value, self._pos = decode(self._text, self._pos)
            except StrictJsonError as error:
                if error.pos >= len(self._text) - _TOKEN and self._more():
                    continue
                cut = error.pos >= len(self._text.rstrip())
                self._pos = error.pos
                self.fail("the file ends in the middle: it was cut" if cut else error.message)
            return value

    def rest_of_line(self) -> str:
        """What of this line lies ahead, without a comma at its end; empty if it was not all read
        yet. Stays where it is.
        """
        end = self._text.find("\n", self._pos)
        return self._text[self._pos : end].rstrip(", \t\r") if end >= 0 else ""

    def skip(self, text: str) -> None:
        """Step over a value that was read from :meth:`rest_of_line`."""
        self._pos += len(text)

    def line(self) -> int:
        """The line on which the next value begins."""
        self.peek()
        return self._line_here()

    def end(self) -> None:
        """Require that nothing follows."""
        if self.peek():
            self.fail("more text follows the end of the set")

    def fail(self, message: str) -> NoReturn:
        """
        Raises:
            DatasetError: always.
        """
        raise DatasetError(
            f"{self._path}:{self._line_here()}: not a frozen set: {message}",
            "restore the file from version control, or freeze the set again",
        )

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._pos)
        self._counted = self._pos
        return self._line

    def _more(self) -> bool:
        """Take the next piece, and let go of what lies behind; False at the end of the file."""
        # Twice as much each time: a long value is parsed again after every piece.
        piece = self._file.read(max(_PIECE, len(self._text) - self._pos))
        line = self._line_here()
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as problem:
            ahead = self._text.count("\n", self._pos) + problem.object.count(
                b"\n", 0, problem.start
            )
            raise self._file.not_utf8(line + ahead) from None
        self._text = self._text[self._pos :] + text
        self._pos = self._counted = 0
        return bool(piece)
