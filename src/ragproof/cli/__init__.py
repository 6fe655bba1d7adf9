"""The command line: the only place that prints, reads the environment and exits."""

import gc
import importlib
import os
import sys
from collections.abc import Sequence

import click

from ragproof.cli import console
from ragproof.errors import ExitCode, RagproofError
from ragproof.version import __version__

# Looking for plugins costs more than reading a configuration, and none is wanted.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_COMMANDS = (
    "action",
    "corpus",
    "demo",
    "diff",
    "freeze",
    "gate",
    "generate",
    "report",
    "run",
    "schema",
    "stale",
    "verify",
)


class _Commands(click.Group):
    """Loads a command's module when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"ragproof.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], _COMMANDS, n=1)
            if not close:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{close[0]}'?", ctx) from None


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 the gate passed, 1 it failed, 2 the run could not judge, "
    "3 command line, configuration or dataset is wrong, 130 and 143 cancelled.",
)
@click.version_option(__version__, "-V", "--version", prog_name="ragproof")
def cli() -> None:
    """Evaluate a RAG endpoint against a frozen set of cases, and gate on the result."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    # Imports and responses make many objects but hardly any cycles: look for those seldom.
    gc.set_threshold(100_000, 50, 100)
    console.prepare()
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        console.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        console.tell(error.format_message())
        return ExitCode.USAGE
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "ragproof"
        console.complain(error.format_message(), f"see `{command} --help`")
        if os.environ.get("GITHUB_ACTIONS") == "true":
            console.alert(error.format_message(), "error")
        return ExitCode.USAGE
    except RagproofError as error:
        console.complain(error.message, error.hint)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        console.complain("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        console.abandon_output()  # whoever read it is gone, and asked for no more
        return ExitCode.ERROR
    except OSError as error:
        if error.filename is not None:
            console.report_bug(error)
        else:  # help, which click prints by itself: of streams there is no file name
            console.abandon_output()
            console.complain(f"cannot write to standard output: {error.strerror}")
        return ExitCode.ERROR
    except Exception as error:  # noqa: BLE001 - the last resort of every command
        console.report_bug(error)
        return ExitCode.ERROR
    return code


def _run(arguments: list[str]) -> int:
    """Run a command. Not by ``cli.main``, which ends with 1 when the output is closed."""
    try:
        with cli.make_context("ragproof", arguments) as context:
            return int(cli.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
