"""What can be seen to be wrong with a question without asking a model."""

from collections.abc import Sequence

from ragproof.corpus.records import Chunk
from ragproof.generate.language import is_other_language
from ragproof.generate.records import Discard, Source
from ragproof.generate.references import names_passage
from ragproof.generate.replies import Written
from ragproof.generate.text import coverage, find_quote, is_spaceless, numbers, parts
from ragproof.scoring.text import unicode_tokens

MIN_WORDS = 3
"""A question of fewer words is none; signs of scripts without spaces count as words."""
MIN_QUOTE = 12
"""A shorter quote (in letters) could stand anywhere; one without spaces a third of it."""
SUPPORT = 0.6
"""Share of the answer's parts that its quotes must hold."""
GIVEN = 0.85
"""From this share of the answer's parts in the question on it is given away."""


class Unfit(Exception):  # noqa: N818
    """A candidate that is no case, and why."""

    def __init__(self, reason: Discard, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


def check_question(question: str, language: str | None) -> None:
    """Whether a question can be understood by who has not read the passage.

    Raises:
        Unfit: it is too short, speaks of its passage, or is not in the passage's language.
    """
    if len(unicode_tokens(question)) < MIN_WORDS:
        raise Unfit(Discard.TOO_SHORT)
    if words := names_passage(question):
        raise Unfit(Discard.NAMES_PASSAGE, words)
    if language is not None and is_other_language(question, language):
        raise Unfit(Discard.LANGUAGE, f"not in {language}")


def check_answer(written: Written, chunks: Sequence[Chunk]) -> tuple[Source, ...]:
    """The places of the quotes, one in each chunk, if they support the answer.

    Raises:
        Unfit: a quote is not in its chunk or says too little, the answer is missing, not
            supported, or stands in the question.
    """
    if not written.answer or not written.quotes:
        raise Unfit(Discard.SHAPE, "no answer or no quote")
    sources = _sources(written.quotes, chunks)
    support(written.answer, " ".join(source.quote for source in sources))
    if coverage(written.answer, written.question) >= GIVEN:
        raise Unfit(Discard.GIVEN_AWAY, written.answer)
    return sources


def support(answer: str, quote: str) -> None:
    """Whether a quote holds an answer: most parts of its words, and every number.

    Raises:
        Unfit: it does not.
    """
    missing = numbers(answer) - numbers(quote)
    if missing:
        raise Unfit(Discard.UNSUPPORTED, f"{', '.join(sorted(missing))} is not in the quote")
    if coverage(answer, quote) < SUPPORT:
        raise Unfit(Discard.UNSUPPORTED)


def _sources(quotes: Sequence[str], chunks: Sequence[Chunk]) -> tuple[Source, ...]:
    if len(chunks) == 1:
        return tuple(_source(quote, chunks[0]) for quote in dict.fromkeys(quotes))
    if len(quotes) != len(chunks):
        raise Unfit(Discard.SHAPE, f"{len(quotes)} quotes of {len(chunks)} passages")
    return tuple(_source(quote, chunk) for quote, chunk in zip(quotes, chunks, strict=True))


def _source(quote: str, chunk: Chunk) -> Source:
    span = find_quote(quote, chunk.text)
    if span is None:
        # Models love to wrap what they copy.
        span = find_quote(quote.strip("\"'“”„‚‘’«»…. \n"), chunk.text)
    if span is None:
        raise Unfit(Discard.QUOTE, quote)
    source = Source(chunk, span)
    if not says_something(source.quote):
        raise Unfit(Discard.QUOTE_SHORT, source.quote)
    return source


def says_something(quote: str) -> bool:
    """Whether a quote is long enough to be known again."""
    letters = sum(map(str.isalnum, quote))
    return letters >= (MIN_QUOTE // 3 if is_spaceless(quote) else MIN_QUOTE) and bool(parts(quote))
