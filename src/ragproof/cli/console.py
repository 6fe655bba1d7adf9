"""Words for people, on standard output and standard error.

Everything printed may hold text of an endpoint or a dataset. A line that the
runner of GitHub Actions would take for a command is made harmless first.
"""

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator

import click

from ragproof.errors import StorageError
from ragproof.github.commands import workflow_command
from ragproof.redact import Redactor

ISSUES = "the project's issue tracker"
_COMMAND = re.compile(r"^(\s*)::|##(?=\[)", re.MULTILINE)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)

_redactor = Redactor()
_others: list[Redactor] = []


def keep_secret(redactor: Redactor) -> None:
    """Take these secrets out of all that is printed from now on."""
    global _redactor  # noqa: PLW0603 - one process has one console
    _redactor = redactor


def hide(redactor: Redactor) -> None:
    """:func:`keep_secret`, and in GitHub Actions have the runner mask these secrets as well."""
    keep_secret(redactor)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for form in redactor.forms:
            click.echo(workflow_command("add-mask", form))
        sys.stdout.flush()  # before anything on standard error


@contextlib.contextmanager
def more_secrets() -> Iterator[None]:
    """Keep what is secret already, whatever :func:`keep_secret` says until the block ends."""
    before = _redactor
    _others.append(before)
    try:
        yield
    finally:
        _others.pop()
        keep_secret(before)


def harmless(text: str) -> str:
    """``text`` with no secret, no control character and no workflow command."""
    text = redacted(text)
    text = _UNSEEN.sub(_code_point, text)
    return _COMMAND.sub(lambda match: f"{match[1]}\\::" if match[1] is not None else "##\\", text)


def redacted(text: str) -> str:
    """``text`` with no secret in it, for whatever leaves by another way than being printed."""
    for redactor in (_redactor, *_others):
        text = redactor.text(text)
    return text


def command(line: str) -> None:
    """Print a workflow command, made by :func:`ragproof.github.commands.workflow_command`."""
    with _output():
        click.echo(redacted(line))


def one_line(text: str, limit: int = 300) -> str:
    """``text`` without line breaks and cut, for names that could hold anything."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[:limit] + "..."


def prepare() -> None:
    """Let no character fail to be printed, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str = "", *, bold: bool = False, colour: str | None = None) -> None:
    """Print to standard output.

    Raises:
        BrokenPipeError: nobody reads it any more.
        StorageError: it cannot be written.
    """
    with _output():
        click.echo(_styled(text, bold, colour), color=_colour())


def flush() -> None:
    """Make sure that what was said is written.

    Raises:
        BrokenPipeError, StorageError: as :func:`say`.
    """
    if sys.stdout is not None:
        with _output():
            sys.stdout.flush()


def abandon_output() -> None:
    """Keep the interpreter from flushing at its end what could not be written before."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def _output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise StorageError(
            f"cannot write to standard output: {error.strerror or error}",
            "look at where the output is sent",
        ) from None


def tell(text: str, *, colour: str | None = None) -> None:
    """Print to standard error: progress and remarks. Where that fails, nobody can be told."""
    with contextlib.suppress(OSError):
        click.echo(_styled(text, False, colour), err=True, color=_colour())


def warn(text: str) -> None:
    """Print a warning to standard error."""
    tell(f"warning: {text}", colour="yellow")


def alert(text: str, level: str = "warning") -> None:
    """Print a warning (or error) that in GitHub Actions also stands on the page of the run."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        lines = "\n".join(_UNSEEN.sub(_code_point, line) for line in text.split("\n"))
        command(workflow_command(level, lines, title="ragproof"))
    else:
        warn(text)


def complain(message: str, hint: str = "") -> None:
    """Print an error to standard error, with what to do about it."""
    tell(f"error: {message}", colour="red")
    if hint:
        tell(f"  hint: {hint}")


def report_bug(error: Exception) -> None:
    """Say that something happened which should not have, and where."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""  # noqa: PTH119
    complain(
        f"unexpected {type(error).__name__}{where}: {error}",
        f"this is a fault of ragproof: please report it at {ISSUES};"
        " RAGPROOF_DEBUG=1 shows the traceback",
    )
    if os.environ.get("RAGPROOF_DEBUG"):
        tell("".join(traceback.format_exception(error)))


def _code_point(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _styled(text: str, bold: bool, colour: str | None) -> str:
    clean = harmless(text)
    return click.style(clean, bold=bold, fg=colour) if bold or colour else clean


def _colour() -> bool | None:
    """False where colours are not wanted; click itself leaves them out of files and pipes."""
    return False if os.environ.get("NO_COLOR") else None
