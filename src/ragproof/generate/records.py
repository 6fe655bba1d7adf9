"""What passes through generation: sources, drafts of cases, and what became of each."""

from enum import StrEnum
from typing import NamedTuple

from ragproof.corpus.records import Chunk
from ragproof.generate.text import Span
from ragproof.records import Kind


class Discard(StrEnum):
    """Why a candidate was discarded, in words."""

    NOT_JSON = "the reply is not JSON"
    CUT = "the reply was cut off"
    SHAPE = "the reply has another shape"
    NOTHING = "the model found nothing to ask"
    TOO_SHORT = "the question is too short"
    NAMES_PASSAGE = "the question speaks of its passage"
    LANGUAGE = "the question is in another language"
    QUOTE = "the quote is not in the passage"
    QUOTE_SHORT = "the quote says too little"
    UNSUPPORTED = "the quote does not support the answer"
    GIVEN_AWAY = "the question gives its answer away"
    DUPLICATE = "the question was asked already"
    NEAR_DUPLICATE = "the question was asked in nearly the same words"
    UNCLEAR = "the reply of the check cannot be used"
    NOT_ANSWERABLE = "the passage does not answer the question"
    WRONG = "the answer is wrong by the passage"
    ONE_IS_ENOUGH = "the question does not need all of its passages"
    ELSEWHERE = "another passage answers differently"
    ANSWERED = "the corpus answers the question"
    AMBIGUOUS = "other documents fit the question as well"
    NOT_SALIENT = "the passage holds no sentence to ask for"
    SURPLUS = "not needed any more"


class Source(NamedTuple):
    """A quote in a chunk, ``span`` being its place in the chunk's text."""

    chunk: Chunk
    span: Span

    @property
    def quote(self) -> str:
        """The words of the chunk."""
        return self.chunk.text[self.span.start : self.span.end]


class Sort(StrEnum):
    """What is asked for and accounted for by itself."""

    QA = "qa"
    MULTI = "multi-document"
    UNANSWERABLE = "unanswerable"
    INJECTION = "injection"
    BASE = "question to plant in"
    """Honest questions that are no cases themselves, where no others are asked for."""


class Draft(NamedTuple):
    """A case in the making, made from ``chunk``.

    ``also`` are ids of other documents that hold the quote; ``checked`` are the chunks that a
    question without an answer was compared with.
    """

    kind: Kind
    chunk: Chunk
    question: str
    answer: str | None
    sources: tuple[Source, ...]
    language: str | None = None
    also: tuple[str, ...] = ()
    checked: tuple[Chunk, ...] = ()
    tags: tuple[str, ...] = ()


class Discarded(NamedTuple):
    """A candidate that is no case. ``detail`` says more than the reason where more is known."""

    reason: Discard
    chunk: Chunk
    question: str = ""
    detail: str = ""


class Failed(NamedTuple):
    """A call that failed for good, and so may have cost a candidate. ``reason`` is one of
    :class:`ragproof.llm.errors.Reason`; ``detail`` what the call said."""

    reason: str
    chunk: Chunk
    question: str = ""
    detail: str = ""


Outcome = Draft | Discarded | Failed
