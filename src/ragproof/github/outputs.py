"""Files that a step leaves for the runner: its outputs and its part of the job summary."""

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from ragproof.errors import StorageError

OUTPUTS = (
    "verdict",
    "exit-code",
    "dataset-hash",
    "cases",
    "failed-cases",
    "scores",
    "results",
    "responses",
    "summary-path",
    "junit",
    "comment-url",
    "pull-request-url",
)
SUMMARY_BYTES = 1_000_000
"""The runner drops a summary of more than 1,048,576 bytes as a whole."""


def format_outputs(
    values: Mapping[str, str], delimiter: Callable[[], str] = lambda: secrets.token_hex(16)
) -> str:
    """Outputs in the form of the file ``GITHUB_OUTPUT``, each between lines that say
    ``delimiter``, which no value can know.

    Raises:
        KeyError: a name that is none of :data:`OUTPUTS`.
    """
    parts = []
    for name, value in values.items():
        if name not in OUTPUTS:
            raise KeyError(name)
        end = f"ragproof_{delimiter()}"
        while end in value:
            end = f"ragproof_{delimiter()}"
        parts.append(f"{name}<<{end}\n{value}\n{end}\n")
    return "".join(parts)


def append(path: Path, text: str) -> None:
    """Append a text to a file of the runner's with one call, so that it is never half there.

    Raises:
        StorageError: it cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            while data:
                data = data[os.write(descriptor, data) :]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StorageError(
            f"cannot write {path}: {error.strerror or error}", "look at the runner's disk"
        ) from None


def summary_room(path: Path) -> int:
    """How many bytes a step may still append to its summary."""
    try:
        return max(0, SUMMARY_BYTES - path.stat().st_size)
    except OSError:
        return SUMMARY_BYTES
