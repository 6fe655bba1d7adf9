"""Workflow commands: lines on standard output that the runner of GitHub Actions acts on."""


def workflow_command(name: str, message: str, **properties: str | int) -> str:
    """A command as one line. The runner undoes the escapes, so any text may be given.

    Only ``%`` and line ends are escaped in a message; in a property also what ends it.
    """
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{name}{' ' if given else ''}{given}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
