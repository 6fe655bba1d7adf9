"""Everything that can end a command, with the exit code it ends with.

A message says what happened and where; ``hint`` says what to do about it.
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every command."""

    PASS = 0
    """The gate passed."""
    FAIL = 1
    """The gate failed: something measured is worse than allowed."""
    ERROR = 2
    """The run could not judge: endpoint, disk, or a fault of ours."""
    USAGE = 3
    """Command line, configuration or dataset is wrong."""
    INTERRUPTED = 130
    """Ended by SIGINT."""
    TERMINATED = 143
    """Ended by SIGTERM."""


class RagproofError(Exception):
    """Base of all expected errors.

    ``message`` may span lines (one problem a line); ``hint`` is one sentence
    that says what to do, or empty.
    """

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(RagproofError):
    """The command line asks for something that cannot be."""

    exit_code = ExitCode.USAGE


class ConfigError(RagproofError):
    """The configuration file is missing, malformed or contradicts the dataset."""

    exit_code = ExitCode.USAGE


class DatasetError(RagproofError):
    """The dataset is missing, malformed or invalid."""

    exit_code = ExitCode.USAGE


class CorpusError(RagproofError):
    """The corpus is missing, or nothing of it can be read."""

    exit_code = ExitCode.USAGE


class HashMismatchError(DatasetError):
    """A frozen dataset was changed after it was frozen."""


class EndpointError(RagproofError):
    """The endpoint could not be asked, so nothing can be judged."""


class RunFileError(RagproofError):
    """A saved run or saved responses cannot be read."""

    exit_code = ExitCode.USAGE


class StorageError(RagproofError):
    """A file could not be written."""
