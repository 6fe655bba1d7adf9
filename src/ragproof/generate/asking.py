"""Asking the model, and what a reply that cannot be used counts as."""

import asyncio
from typing import Any

from ragproof.corpus.records import Chunk
from ragproof.generate.prompts import Data, Passage, Prompts
from ragproof.generate.records import Discard, Discarded, Failed
from ragproof.llm.errors import CompletionError, Reason
from ragproof.llm.protocol import Completer
from ragproof.llm.reply import parse_reply

_UNUSABLE = {
    Reason.NOT_JSON: Discard.NOT_JSON,
    Reason.AMBIGUOUS: Discard.NOT_JSON,
    Reason.EMPTY: Discard.NOT_JSON,
    Reason.TRUNCATED: Discard.CUT,
}


class Asker:
    """Fills in prompts, asks (so many at once at most), parses. ``replies`` counts those that
    came, usable or not."""

    def __init__(self, llm: Completer, prompts: Prompts, concurrency: int) -> None:
        self._llm = llm
        self._free = asyncio.Semaphore(concurrency)
        self.prompts = prompts
        self.concurrency = concurrency
        self.replies = 0

    async def ask(self, name: str, **data: Any) -> Any:
        """The JSON value of the reply to a prompt.

        Raises:
            CompletionError: the call failed for good, or the reply is not JSON.
            RagproofError: no call can succeed, or the budget is spent.
        """
        prompt = self.prompts.render(name, **data)
        try:
            async with self._free:
                text = await self._llm.get_completion_async(prompt)
        except CompletionError as error:
            self.replies += error.reason in _UNUSABLE
            raise
        self.replies += 1
        return parse_reply(text)


def passage(chunk: Chunk) -> Passage:
    """A chunk as templates see it."""
    headings = " / ".join(chunk.headings)
    return Passage(Data(chunk.document_id), Data(headings) if headings else None, Data(chunk.text))


def unusable(error: CompletionError, chunk: Chunk, question: str = "") -> Discarded | Failed:
    """What a call counts as whose reply gives nothing."""
    if reason := _UNUSABLE.get(error.reason):
        return Discarded(reason, chunk, question, error.message)
    return Failed(error.reason.value, chunk, question, error.message)
