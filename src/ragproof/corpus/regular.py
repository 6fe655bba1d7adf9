"""Reading regular files, whatever else has their names by now."""

import errno
import os
import stat
from pathlib import Path

from ragproof.corpus.unreadable import UnreadableError


def read_bytes(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, no link followed and no pipe waited for.

    Raises:
        UnreadableError: it is not a regular file any more, too large or unreadable.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableError(kind_of(status.st_mode))
            if status.st_size > limit:
                raise UnreadableError(_too_large(status.st_size, limit))
            raw = file.read(limit + 1)
    except FileNotFoundError:
        raise UnreadableError("is gone: it was deleted while the corpus was read") from None
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise UnreadableError("became a link while the corpus was read") from None
        raise UnreadableError(f"cannot be read: {problem.strerror or problem}") from None
    if len(raw) > limit:
        raise UnreadableError(_too_large(len(raw), limit))
    return raw


def kind_of(mode: int) -> str:
    """What it is that is not a regular file, as a reason to skip it."""
    if stat.S_ISFIFO(mode):
        return "is a pipe, not a regular file"
    if stat.S_ISSOCK(mode):
        return "is a socket, not a regular file"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "is a device, not a regular file"
    return "is not a regular file"


def _too_large(size: int, limit: int) -> str:
    return (
        f"is larger than {limit / 1_000_000:g} MB ({size / 1_000_000:.1f} MB);"
        " --max-file-bytes sets the limit"
    )
