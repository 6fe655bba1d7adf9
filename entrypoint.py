"""The entry point of the image: inputs of the action become options of the command line."""

import os
import signal
import sys
from collections.abc import MutableMapping, Sequence
from types import FrameType

from ragproof.cli import main

_INPUT = "INPUT_"
_TOKEN = "INPUT_GITHUB-TOKEN"
_SECRETS = {_TOKEN: "GITHUB_TOKEN", "INPUT_MODEL-KEY": "RAGPROOF_GEN_API_KEY"}


def command_line(arguments: Sequence[str], environment: MutableMapping[str, str]) -> list[str]:
    """The arguments as they stand; without any, those that the action's inputs stand for.

    A secret never becomes an argument, which other processes could read: it moves to the
    variable that the command line takes it from.
    """
    known = _TOKEN in environment
    for name, variable in _SECRETS.items():
        secret = environment.pop(name, None)
        if secret:
            environment[variable] = secret
    if arguments:
        return list(arguments)
    inputs = {name: value for name, value in environment.items() if name.startswith(_INPUT)}
    if not inputs and not known:
        return ["--help"]
    options = (
        f"--{name.removeprefix(_INPUT).lower()}={value}"
        for name, value in sorted(inputs.items())
        if value
    )
    return ["action", *options]


def end(number: int, frame: FrameType | None) -> None:
    """End as any process would that does not handle the signal."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    # The first process of a container is spared each signal that it does not handle itself.
    signal.signal(signal.SIGTERM, end)
    sys.exit(main(command_line(sys.argv[1:], os.environ)))
