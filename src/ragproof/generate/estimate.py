"""Which prompts a generation will ask, about, if no candidate is discarded."""

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Protocol

from ragproof.corpus.records import Chunk
from ragproof.generate.asking import passage
from ragproof.generate.prompts import Data, Prompts
from ragproof.generate.qa import SHOWN as SHOWN_ELSEWHERE
from ragproof.generate.run import Wanted
from ragproof.generate.unanswerable import SHOWN
from ragproof.generate.works import Works
from ragproof.llm.usage import Estimate

_QUESTION = Data("A question of about this length, as most of them are?")
_ANSWER = Data("an answer of a few words")


class Estimator(Protocol):
    """What says whether a prompt costs anything."""

    def estimate(self, prompts: list[str]) -> Estimate:
        """Of these prompts, those that no saved reply answers."""
        ...


def prompts_to_come(
    works: Works, wanted: Wanted, prompts: Prompts, model: Estimator
) -> Iterator[str]:
    """One prompt for each call. What follows a reply that is saved is saved as well."""
    questions = wanted.qa + wanted.bases(bool(works.kept))
    for chunk in _first(works, questions):
        first = prompts.render("question", passage=passage(chunk), count=1, known=[])
        if model.estimate([first]).calls:
            yield first
            yield from _follow_ups(prompts, works, [chunk])
    for chunk in _first(works, wanted.multi):
        yield prompts.render("several", passages=[passage(chunk)] * 2)
        yield from _follow_ups(prompts, works, [chunk] * 2)
    for chunk in _first(works, wanted.unanswerable):
        first = prompts.render("unanswerable", passage=passage(chunk), count=1)
        if model.estimate([first]).calls:
            yield first
            shown = [passage(one) for one in _first(works, SHOWN)]
            yield prompts.render("answerable", question=_QUESTION, passages=shown)


def _follow_ups(prompts: Prompts, works: Works, chunks: list[Chunk]) -> Iterator[str]:
    asked = {"question": _QUESTION, "answer": _ANSWER}
    shown = [passage(chunk) for chunk in chunks]
    yield prompts.render("solve", passages=shown, question=_QUESTION)
    if len(chunks) > 1:
        yield prompts.render("check", passages=shown, **asked)
    if len(works.chunks) > len(chunks):
        others = [passage(one) for one in _first(works, SHOWN_ELSEWHERE)]
        yield prompts.render("elsewhere", passages=others, **asked)


def _first(works: Works, count: int) -> Iterator[Chunk]:
    """The chunks that come first, from the beginning again where there are too few."""
    return islice(cycle(works.order), count)
