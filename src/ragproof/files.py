"""Reading with a size limit and writing so that no reader ever sees half a file."""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from io import BufferedReader
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
        with open_regular(path) as file:
            raw = file.read(limit + 1)
    except FileNotFoundError:
        raise error(f"{what} {path} does not exist", "check the path") from None
    except OSError as problem:
        raise error(
            f"{what} {path} cannot be read: {problem.strerror or problem}", "check the path"
        ) from None
    if len(raw) > limit:
        raise error(f"{what} {path} is larger than {limit / 1_000_000:g} MB", "check the path")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise error(f"{path}:{line}: {what} is not UTF-8", "save the file as UTF-8") from None
    if not text.strip():
        raise error(f"{what} {path} is empty", "check the path")
    return text


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading: a pipe could be waited on for ever.

    Raises:
        OSError: it cannot be opened, or is a folder, a pipe or a device.
    """
    try:
        # Without O_NONBLOCK the opening itself waits until somebody writes into a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as problem:
        raise OSError(errno.EINVAL, str(problem)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return open(descriptor, "rb")  # noqa: PTH123


def within(path: Path, root: Path) -> str | None:
    """The path from ``root``, with ``/``; ``None`` of a file that is not in it. Links stay."""
    full = Path(os.path.abspath(path))  # noqa: PTH100 - resolving would follow links
    return full.relative_to(root).as_posix() if full.is_relative_to(root) else None


def make_folder(path: Path) -> None:
    """Create a folder for results.

    Raises:
        StorageError: it cannot be made.
    """
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        for folder in reversed(missing):
            give_to_owner_of(folder.parent, folder)
    except OSError as problem:
        raise _cannot_write(path, problem) from None


def give_to_owner_of(other: Path, made: Path | int) -> None:
    """Give what root made to whom its folder, or the file whose place it takes, belongs.

    In a container of GitHub Actions that is the user whose workspace it is, who could not
    even delete files of root's.
    """
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # there are file systems that root does not rule
            owner = other.stat()
            os.chown(made, owner.st_uid, owner.st_gid)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Open a text file that takes the place of ``path`` when the block ends well.

    The old file stays until then; a kill or a full disk leaves it as it was. Of a link,
    the file that it leads to is replaced. An ``OSError`` of the block counts as one of
    writing: what is read inside has errors of its own.

    Raises:
        StorageError: the file cannot be written, or ``path`` is a folder, pipe or device.
    """
    temporary: str | None = None
    try:
        mode = _mode(path)
        target = path.resolve()
        descriptor, temporary = tempfile.mkstemp(prefix=".ragproof-", dir=target.parent)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            os.fchmod(descriptor, mode)
            give_to_owner_of(target if target.exists() else target.parent, descriptor)
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)  # noqa: PTH105
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
    """Permissions for the new file: those of the old one, or what the process gives to new ones."""
    try:
        old = path.stat().st_mode
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    # What is open but deleted (as /dev/stdout can be) has no place where a file could be put.
    if not stat.S_ISREG(old) or not path.resolve().exists():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return old & 0o777


def _cannot_write(path: Path, problem: OSError) -> StorageError:
    return StorageError(
        f"cannot write {path}: {problem.strerror or problem}",
        "check the folder's permissions and the free space, or name another folder with --out",
    )
