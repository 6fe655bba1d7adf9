"""Reading with a size limit and writing so that no reader ever sees half a file."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from ragproof.errors import RagproofError, StorageError


def read_text(path: Path, what: str, limit: int, error: type[RagproofError]) -> str:
    """The UTF-8 text of a file, a byte order mark left out.

    Raises:
        error: missing, unreadable, not a regular file, larger than ``limit`` bytes,
            empty, or not UTF-8. ``what`` names the file in the message.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(limit + 1)
    except FileNotFoundError:
        raise error(f"{what} {path} does not exist", "check the path") from None
    except OSError as problem:
        raise error(f"{what} {path} cannot be read: {problem.strerror}") from None
    if len(raw) > limit:
        raise error(f"{what} {path} is larger than {limit // 1_000_000} MB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise error(f"{path}:{line}: {what} is not UTF-8", "save the file as UTF-8") from None
    if not text.strip():
        raise error(f"{what} {path} is empty")
    return text


def make_folder(path: Path) -> None:
    """Create a folder for results.

    Raises:
        StorageError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _cannot_write(path, problem) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of ``path`` when the block ends well.

    The old file stays until then; a kill or a full disk leaves it as it was.

    Raises:
        StorageError: the file cannot be written.
    """
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            os.fchmod(descriptor, _mode(path))
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, path)  # noqa: PTH105
        temporary = None
    except OSError as problem:
        raise _cannot_write(path, problem) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108


def write_text(path: Path, text: str) -> None:
    """Write a whole text file at once, old or new and never half.

    Raises:
        StorageError: the file cannot be written.
    """
    with replacing(path) as file:
        file.write(text)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _cannot_write(path: Path, problem: OSError) -> StorageError:
    return StorageError(
        f"cannot write {path}: {problem.strerror or problem}",
        "check the folder's permissions and the free space, or name another folder with --out",
    )
