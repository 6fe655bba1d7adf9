"""Why a file is not read."""


class UnreadableError(Exception):
    """A file, or a part of it, is not read; the message is a sentence without its path."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
