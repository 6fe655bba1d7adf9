"""Running jobs until enough cases are there: many at once, and always with the same outcome.

Which cases come out depends on the order of the jobs alone, never on which reply is first. Results
are taken in the order of the jobs, and a job is begun only if all that are under way could not
give enough even if each gave its most. So the jobs that were begun are the shortest beginning of
all jobs that gives enough; no call is made that turns out to be in vain.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from ragproof.generate.records import Draft, Outcome


class Job(NamedTuple):
    """Work that gives ``most`` drafts at most, discarded and failed candidates not counted."""

    most: int
    run: Callable[[], Awaitable[list[Outcome]]]


Take = Callable[[Outcome], bool]
"""Takes an outcome in order, ``True`` if it became a case."""


async def fill(wanted: int, jobs: Iterable[Job], take: Take, width: int) -> int:
    """Run jobs, ``width`` at once at most, until so many outcomes were taken as cases.

    Returns how many. Fewer than wanted: the jobs are used up.

    Raises:
        Exception: whatever a job raised, or CancelledError. What other jobs had finished by then
            was taken, and those that had not were ended.
    """
    supply = iter(jobs)
    line: deque[_Running] = deque()
    delivered, more = 0, True
    try:
        while True:
            delivered += _take_finished(line, take)
            possible = delivered + sum(one.possible() for one in line)
            busy = sum(not one.task.done() for one in line)
            while more and possible < wanted and busy < width:
                job = next(supply, None)
                if job is None:
                    more = False
                    break
                line.append(_Running(job))
                possible += job.most
                busy += 1
            if not line:
                return delivered
            waiting = [one.task for one in line if not one.task.done()]
            if waiting:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    except BaseException:
        for one in line:
            if one.task.done() and not one.task.cancelled() and one.task.exception() is None:
                for outcome in one.task.result():
                    take(outcome)
        raise
    finally:
        await _end(line)


class _Running:
    """A job that was begun."""

    def __init__(self, job: Job) -> None:
        self._most = job.most
        self.task = asyncio.ensure_future(job.run())

    def possible(self) -> int:
        """How many drafts it can still give."""
        if not self.task.done():
            return self._most
        return sum(isinstance(outcome, Draft) for outcome in self.task.result())


def _take_finished(line: deque[_Running], take: Take) -> int:
    """Take what the first jobs gave, up to the first that is still running."""
    delivered = 0
    while line and line[0].task.done():
        outcomes = line[0].task.result()
        line.popleft()
        delivered += sum(take(outcome) for outcome in outcomes)
    return delivered


async def _end(line: deque[_Running]) -> None:
    for one in line:
        one.task.cancel()
    await asyncio.gather(*(one.task for one in line), return_exceptions=True)
