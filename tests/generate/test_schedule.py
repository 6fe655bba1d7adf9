"""How long a generation takes, in a loop whose time passes only where it waits."""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

import pytest
from genkit import Model, asker, corpus, passages_of, question_on, works

from ragproof.generate.run import Wanted, generate
from ragproof.generate.works import Works

LATENCY = 0.1
WIDTH = 16


class _Selector(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


async def _at_once(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def run(model: Model, wanted: Wanted, monkeypatch: pytest.MonkeyPatch) -> tuple[Works, float]:
    """The state after a generation and how long it took, over latency times calls by width."""
    monkeypatch.setattr(asyncio, "to_thread", _at_once)
    texts = {
        f"{n}.md": f"Paragraph {n} of the set. It has {n * 13} words on boats and {n * 7} on tents."
        for n in range(300)
    }
    state = works(corpus(texts))
    with asyncio.Runner(loop_factory=_Loop) as runner:
        runner.run(generate(state, asker(model, WIDTH), wanted))
        took = runner.get_loop().time()
    return state, took / (len(model.prompts) * LATENCY / WIDTH)


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(qa=40),
        Wanted(qa=96),
        Wanted(qa=40, unanswerable=10, multi=5),
        Wanted(unanswerable=64),
    ],
)
def test_calls_are_made_as_many_at_once_as_may_be(
    wanted: Wanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, ratio = run(Model(LATENCY), wanted, monkeypatch)
    assert len(state.cases()) == sum(wanted)
    assert 0.999 <= ratio <= 1.2


def test_also_where_some_are_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    def question(prompt: str) -> Any:
        item = question_on(passages_of(prompt)[0])
        bad = "7 of the set" in prompt
        return {"questions": [{**item, "quote": "made up"} if bad else item]}

    state, ratio = run(Model(LATENCY, question=question), Wanted(qa=150), monkeypatch)
    assert len(state.cases()) == 150
    assert state.ledger.discarded().total() >= 10
    assert ratio <= 1.2
