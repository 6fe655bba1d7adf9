"""Text of others, in a wrapper that cannot be printed by mistake."""

from typing import NoReturn


class UnescapedError(TypeError):
    """A text of others was about to be printed without an escape."""


class Untrusted:
    """A text that only :func:`reveal` gives back.

    Printing, joining and formatting it raise, and a sandboxed template sees no name
    that starts with an underscore. So a template that forgets a filter does not render.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> NoReturn:
        raise UnescapedError("a text of others needs a filter: code, span, fence or plain")

    __html__ = __str__

    def __repr__(self) -> str:
        return f"Untrusted({len(self._text)} characters)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Untrusted) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


def reveal(value: Untrusted) -> str:
    """The text as it is. Escape what this returns."""
    return value._text
