"""Many jobs at once, and always the same outcome."""

import asyncio
from collections.abc import Iterator

import pytest
from genkit import chunk
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.generate.fill import Job, fill
from ragproof.generate.records import Discard, Discarded, Draft, Outcome
from ragproof.records import Kind

HERE = chunk("x")


def draft(name: str) -> Draft:
    return Draft(Kind.QA, HERE, name, None, ())


class Play:
    """Jobs that give what ``gives`` says, each after its own number of turns of the loop."""

    def __init__(self, gives: list[list[bool]], delays: list[int]) -> None:
        self.gives = gives
        self.delays = delays
        self.begun: list[int] = []
        self.taken: list[str] = []
        self.inside = self.most = 0

    def jobs(self) -> Iterator[Job]:
        for number, gives in enumerate(self.gives):
            yield Job(len(gives), lambda number=number: self._run(number))  # type: ignore[misc]

    async def _run(self, number: int) -> list[Outcome]:
        self.begun.append(number)
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(self.delays[number % len(self.delays)]):
            await asyncio.sleep(0)
        self.inside -= 1
        return [
            draft(f"{number}.{place}") if good else Discarded(Discard.QUOTE, HERE)
            for place, good in enumerate(self.gives[number])
        ]

    def take(self, outcome: Outcome) -> bool:
        if isinstance(outcome, Draft):
            self.taken.append(outcome.question)
        return isinstance(outcome, Draft)


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.booleans(), min_size=1, max_size=3), max_size=12),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.integers(0, 12),
    st.integers(1, 6),
)
def test_the_shortest_beginning_that_is_enough(
    gives: list[list[bool]], delays: list[int], wanted: int, width: int
) -> None:
    play = Play(gives, delays)
    delivered = asyncio.run(fill(wanted, play.jobs(), play.take, width))
    one_by_one = Play(gives, [0])
    asyncio.run(fill(wanted, one_by_one.jobs(), one_by_one.take, 1))
    assert play.taken == one_by_one.taken
    assert play.begun == one_by_one.begun == list(range(len(play.begun)))
    assert play.most <= width
    good = [sum(one) for one in gives]
    enough = next((n for n in range(len(gives) + 1) if sum(good[:n]) >= wanted), len(gives))
    assert delivered == sum(good[: len(play.begun)])
    # Where a job can give several, the last one may be begun for want of one that others give.
    assert len(play.begun) >= enough
    if all(len(one) == 1 for one in gives):
        assert len(play.begun) == enough


def test_what_is_not_taken_is_replaced() -> None:
    play = Play([[True]] * 6, [3, 1])
    kept: list[str] = []

    def take(outcome: Outcome) -> bool:
        good = isinstance(outcome, Draft) and outcome.question not in ("0.0", "2.0")
        if good:
            assert isinstance(outcome, Draft)
            kept.append(outcome.question)
        return good

    assert asyncio.run(fill(3, play.jobs(), take, 4)) == 3
    assert kept == ["1.0", "3.0", "4.0"]
    assert play.begun == [0, 1, 2, 3, 4]


class BrokenError(Exception):
    pass


def test_an_error_ends_all_and_keeps_what_is_finished() -> None:
    ended: list[int] = []

    async def job(number: int) -> list[Outcome]:
        try:
            if number == 1:
                await asyncio.sleep(0.01)
                raise BrokenError
            await asyncio.sleep(0 if number == 2 else 30)
        except asyncio.CancelledError:
            ended.append(number)
            raise
        return [draft(str(number))]

    taken: list[str] = []

    def take(outcome: Outcome) -> bool:
        assert isinstance(outcome, Draft)
        taken.append(outcome.question)
        return True

    jobs = (Job(1, lambda number=number: job(number)) for number in range(4))  # type: ignore[misc]
    with pytest.raises(BrokenError):
        asyncio.run(fill(4, jobs, take, 4))
    assert taken == ["2"]
    assert ended == [0, 3]


def test_being_cancelled_keeps_what_is_finished() -> None:
    async def job(number: int) -> list[Outcome]:
        await asyncio.sleep(0 if number % 2 else 30)
        return [draft(str(number))]

    taken: list[str] = []

    def take(outcome: Outcome) -> bool:
        assert isinstance(outcome, Draft)
        taken.append(outcome.question)
        return True

    async def main() -> None:
        jobs = (Job(1, lambda number=number: job(number)) for number in range(4))  # type: ignore[misc]
        task = asyncio.ensure_future(fill(4, jobs, take, 4))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert taken == ["1", "3"]
