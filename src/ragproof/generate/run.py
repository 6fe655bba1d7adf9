"""Having a model write what is wanted: which jobs there are for each sort of case."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ragproof.corpus.records import Chunk
from ragproof.generate import qa, unanswerable
from ragproof.generate.asking import Asker
from ragproof.generate.fill import Job, Take, fill
from ragproof.generate.records import Discard, Discarded, Draft, Outcome, Sort
from ragproof.generate.search import ChunkIndex
from ragproof.generate.works import GenerationError, Works
from ragproof.llm.errors import BudgetError

ROUNDS = 3
"""So often a chunk is asked about, where the corpus is too small for what is asked for."""
MOST_AT_ONCE = 5
"""Questions that are asked for in one prompt at most."""
MOST_BASES = 20
"""Honest questions that are made only to plant instructions in."""
NOBODY_AFTER = 8
"""Calls that fail before any succeeded, after which there is no point in asking on."""


class Wanted(NamedTuple):
    """How many cases of each sort."""

    qa: int = 0
    unanswerable: int = 0
    injection: int = 0
    multi: int = 0

    def counts(self) -> dict[Sort, int]:
        """Those that are wanted at all, by sort."""
        every = {
            Sort.QA: self.qa,
            Sort.MULTI: self.multi,
            Sort.UNANSWERABLE: self.unanswerable,
            Sort.INJECTION: self.injection,
        }
        return {sort: count for sort, count in every.items() if count}

    def bases(self, kept: bool) -> int:
        """How many honest questions are needed beside these to plant instructions in; ``kept``
        says whether an older set brings some."""
        return 0 if self.qa or self.multi or kept else min(self.injection, MOST_BASES)


async def generate(works: Works, asker: Asker, wanted: Wanted) -> None:
    """Have a model write questions, as far as the corpus gives them.

    Cases with planted instructions are made from these afterwards, by :meth:`Works.plant`.

    Raises:
        RagproofError: no call can succeed. What was taken before stays in ``works``.
    """
    index = await asyncio.to_thread(ChunkIndex, works.chunks)
    writer = _Writer(works, asker, index)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(writer.single(Sort.QA, wanted.qa))
            group.create_task(writer.single(Sort.BASE, wanted.bases(bool(works.kept))))
            group.create_task(writer.multi(wanted.multi))
            group.create_task(writer.unanswerable(wanted.unanswerable))
    except BaseExceptionGroup as errors:
        error = _first(errors)
        if not isinstance(error, BudgetError):
            raise error from None
        works.ledger.stopped = error.message
    finally:
        index.close()
    if not asker.replies and works.ledger.failed():
        raise _no_reply(works)


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Writer:
    """Makes the jobs for each sort of case and runs them."""

    def __init__(self, works: Works, asker: Asker, index: ChunkIndex) -> None:
        self._works = works
        self._asker = asker
        self._index = index
        # Jobs make calls one after the other: with twice as many of them no place stays free.
        self._width = 2 * asker.concurrency

    async def single(self, sort: Sort, wanted: int) -> None:
        """Questions on one chunk each, round by round.

        A round begins when the one before has ended, so that what it knows is always the same.
        """
        take = self._taker(sort, wanted)
        known: dict[str, list[str]] = {}
        barren: set[str] = set()

        def note(outcome: Outcome) -> bool:
            if isinstance(outcome, Draft | Discarded) and outcome.question:
                known.setdefault(outcome.chunk.id, []).append(outcome.question)
            elif isinstance(outcome, Discarded) and outcome.reason is Discard.NOTHING:
                barren.add(outcome.chunk.id)
            return take(outcome)

        for _ in range(ROUNDS):
            left = wanted - len(self._works.taken(sort))
            chunks = [chunk for chunk in self._works.order if chunk.id not in barren]
            asked = {chunk.id: tuple(known.get(chunk.id, ())) for chunk in chunks}
            if left > 0:
                await fill(left, self._on_chunks(chunks, left, asked), note, self._width)

    def _on_chunks(
        self, chunks: Sequence[Chunk], wanted: int, known: Mapping[str, Sequence[str]]
    ) -> Iterator[Job]:
        most = _share(wanted, len(chunks))
        for chunk in chunks:
            args = (self._asker, self._index, chunk, most, known[chunk.id])
            yield Job(most, partial(qa.from_chunk, *args))

    async def multi(self, wanted: int) -> None:
        """Questions on two chunks each, of documents that have to do with each other."""
        order = self._works.order
        places = {chunk.id: place for place, chunk in enumerate(order)}
        jobs = (
            Job(1, partial(qa.from_pair, self._asker, self._index, chunk, places))
            for chunk in order
        )
        await fill(wanted, jobs, self._taker(Sort.MULTI, wanted), self._width)

    async def unanswerable(self, wanted: int) -> None:
        """Questions on the topic of a chunk that no chunk answers."""
        order = self._works.order
        most = _share(wanted, len(order))
        jobs = (
            Job(
                most,
                partial(unanswerable.from_chunk, self._asker, self._index, chunk, most),
            )
            for chunk in order
        )
        await fill(wanted, jobs, self._taker(Sort.UNANSWERABLE, wanted), self._width)

    def _taker(self, sort: Sort, wanted: int) -> Take:
        """A taker that gives up where calls fail and none ever succeeded."""
        take = self._works.taker(sort, wanted)

        def taker(outcome: Outcome) -> bool:
            delivered = take(outcome)
            if not self._asker.replies and self._works.ledger.failed().total() >= NOBODY_AFTER:
                raise _no_reply(self._works)
            return delivered

        return taker


def _share(wanted: int, chunks: int) -> int:
    """Questions to ask for on each chunk."""
    return max(1, min(MOST_AT_ONCE, -(-wanted // max(1, chunks))))


def _no_reply(works: Works) -> GenerationError:
    lines = [line.strip() for line in works.ledger.lines() if " failed: " in line]
    return GenerationError(
        "\n".join(["the model answered no call", *lines]),
        "see to what the model's errors say; nothing was written",
        works.ledger,
    )
