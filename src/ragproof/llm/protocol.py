"""What a language model must be able to do, ours or one of the user's."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class Completer(Protocol):
    """Anything that answers a prompt. It may be called many times at once."""

    async def get_completion_async(self, prompt: str) -> str:
        """The model's reply to one prompt."""
        ...
