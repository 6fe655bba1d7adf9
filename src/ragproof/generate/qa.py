"""Questions with an answer: written from a chunk, checked, and confirmed by a second look."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ragproof.corpus.records import Chunk
from ragproof.generate.asking import Asker, passage, unusable
from ragproof.generate.checks import Unfit, check_answer, check_question, says_something
from ragproof.generate.language import detect_language
from ragproof.generate.prompts import Data
from ragproof.generate.records import Discard, Discarded, Draft, Outcome, Source
from ragproof.generate.replies import Written, read_check, read_elsewhere, read_questions
from ragproof.generate.search import ChunkIndex
from ragproof.generate.text import coverage, find_quote, numbers
from ragproof.llm.errors import CompletionError
from ragproof.records import Kind
from ragproof.scoring.text import normalise_quote

SHOWN = 3
"""Passages from elsewhere that the model sees at most."""
_SEARCHED = 12
_KNOWN_AGAIN = 25
"""A quote of so many letters stands in two documents because one has it from the other."""
_BRIEF = 200
"""A brief answer has so many characters at most."""
SAME = 0.6
"""From this share of common parts on two answers are one."""
OTHERWISE = 0.3
"""Below it they are two; in between only a model can tell."""
MULTI = "multi-document"


async def from_chunk(
    asker: Asker, index: ChunkIndex, chunk: Chunk, count: int, known: Sequence[str]
) -> list[Outcome]:
    """Ask for so many questions on one chunk, about other things than those ``known``."""
    shown = [Data(question) for question in known]
    data = {"passage": passage(chunk), "count": count, "known": shown}
    return await _write(asker, index, (chunk,), "question", count, data)


async def from_pair(
    asker: Asker, index: ChunkIndex, chunk: Chunk, places: Mapping[str, int]
) -> list[Outcome]:
    """Ask for a question that takes this chunk and another to answer.

    ``places`` say when each chunk has its turn: what two chunks have to do with each other is
    asked about once, when the first of them has it.
    """
    other = await asyncio.to_thread(partner, index, chunk)
    if other is None:
        return []
    if places.get(other.id, len(places)) < places[chunk.id]:
        back = await asyncio.to_thread(partner, index, other)
        if back is not None and back.id == chunk.id:
            return []
    chunks = (chunk, other)
    data = {"passages": [passage(one) for one in chunks]}
    return await _write(asker, index, chunks, "several", 1, data)


def partner(index: ChunkIndex, chunk: Chunk) -> Chunk | None:
    """The chunk of another document that has most to do with this one."""
    query = " ".join([*chunk.headings, chunk.text[:500]])
    found = index.search(query, _SEARCHED)
    return next((one for one in found if one.document_id != chunk.document_id), None)


async def _write(
    asker: Asker,
    index: ChunkIndex,
    chunks: tuple[Chunk, ...],
    template: str,
    count: int,
    data: Mapping[str, object],
) -> list[Outcome]:
    try:
        written = read_questions(await asker.ask(template, **data))
    except CompletionError as error:
        return [unusable(error, chunks[0])]
    if not written:
        reason = Discard.SHAPE if written is None else Discard.NOTHING
        return [Discarded(reason, chunks[0])]
    language = detect_language(chunks[0].text)
    found: list[Outcome] = []
    fit: list[tuple[Written, tuple[Source, ...]]] = []
    for one in written:
        try:
            check_question(one.question, language)
            sources = check_answer(one, chunks)
        except Unfit as unfit:
            found.append(Discarded(unfit.reason, chunks[0], one.question, unfit.detail))
        else:
            fit.append((one, sources))
    # Models write more than they are asked for, and not always the best first.
    found += [Discarded(Discard.SURPLUS, chunks[0], one.question) for one, _ in fit[count:]]
    jobs = (_judge(asker, index, *pair, chunks, language) for pair in fit[:count])
    return [*await asyncio.gather(*jobs), *found]


async def _judge(
    asker: Asker,
    index: ChunkIndex,
    written: Written,
    sources: tuple[Source, ...],
    chunks: tuple[Chunk, ...],
    language: str | None,
) -> Outcome:
    question = written.question
    try:
        await _confirm(asker, written, chunks)
        also, more = await _look_elsewhere(asker, index, written, sources)
    except Unfit as unfit:
        return Discarded(unfit.reason, chunks[0], question, unfit.detail)
    except CompletionError as error:
        return unusable(error, chunks[0], question)
    tags = (MULTI,) if len(chunks) > 1 else ()
    quoted = (*sources, *more)
    return Draft(Kind.QA, chunks[0], question, written.answer, quoted, language, also, tags=tags)


async def _confirm(asker: Asker, written: Written, chunks: Sequence[Chunk]) -> None:
    """Have the model answer from the chunks alone, without the answer that is expected; where its
    own differs, but not wholly, show it both.

    Raises:
        Unfit: the chunks do not answer the question, or answer it otherwise.
        CompletionError: a call failed.
    """
    shown = [passage(chunk) for chunk in chunks]
    solved = read_check(await asker.ask("solve", passages=shown, question=Data(written.question)))
    if solved is None or solved.answerable is None:
        raise Unfit(Discard.UNCLEAR)
    if not solved.answerable or not solved.answer:
        raise Unfit(Discard.NOT_ANSWERABLE)
    agreement = _agreement(written.answer, solved.answer)
    if agreement < OTHERWISE:
        raise Unfit(Discard.WRONG, f"without it the answer is: {solved.answer}")
    # Whether it takes all of several chunks is asked with the answer.
    if agreement < SAME or len(chunks) > 1:
        await _compare(asker, written, chunks)


def _agreement(expected: str, found: str) -> float:
    """How much two answers say the same, from 0 to 1, by their words. Of an answer that tells much
    more than the other, nothing can be said."""
    if len(found) > max(_BRIEF, 4 * len(expected)):
        return OTHERWISE
    if numbers(expected) and numbers(found) and not numbers(expected) & numbers(found):
        return 0.0
    return max(coverage(expected, found), coverage(found, expected))


async def _compare(asker: Asker, written: Written, chunks: Sequence[Chunk]) -> None:
    checked = read_check(
        await asker.ask(
            "check",
            passages=[passage(chunk) for chunk in chunks],
            question=Data(written.question),
            answer=Data(written.answer),
        )
    )
    if checked is None or checked.answerable is None:
        raise Unfit(Discard.UNCLEAR)
    if not checked.answerable:
        raise Unfit(Discard.NOT_ANSWERABLE)
    if checked.correct is None:
        raise Unfit(Discard.UNCLEAR)
    if not checked.correct:
        raise Unfit(Discard.WRONG, f"the check answers: {checked.answer}")
    if len(chunks) > 1 and not checked.needed:
        raise Unfit(Discard.ONE_IS_ENOUGH if checked.needed is False else Discard.UNCLEAR)


async def _look_elsewhere(
    asker: Asker, index: ChunkIndex, written: Written, sources: Sequence[Source]
) -> tuple[tuple[str, ...], list[Source]]:
    """Other documents that hold the quote, and other quotes that give the same answer.

    Raises:
        Unfit: another passage answers differently.
    """
    hits = await asyncio.to_thread(index.search, written.question, _SEARCHED)
    also = _copies(hits, sources)
    own = {source.chunk.id for source in sources}
    others = [
        chunk
        for chunk in hits
        if chunk.id not in own and not any(_holds(chunk, source.quote) for source in sources)
    ][:SHOWN]
    if not others:
        return also, []
    value = await asker.ask(
        "elsewhere",
        question=Data(written.question),
        answer=Data(written.answer),
        passages=[passage(chunk) for chunk in others],
    )
    found = read_elsewhere(value, len(others))
    if found is None:
        raise Unfit(Discard.UNCLEAR)
    more = []
    for one in found:
        chunk = others[one.passage]
        span = find_quote(one.quote, chunk.text)
        if one.same is False:
            # Without words to show for it nobody could tell; better one question less.
            where = f"{chunk.document_id}: {one.quote}"
            raise Unfit(Discard.ELSEWHERE if span else Discard.UNCLEAR, where)
        if one.same and span is not None and says_something(one.quote):
            more.append(Source(chunk, span))
    return also, more


def _copies(hits: Sequence[Chunk], sources: Sequence[Source]) -> tuple[str, ...]:
    """Documents of which a chunk holds a quote that is long enough to be copied."""
    if len(sources) != 1 or sum(map(str.isalnum, sources[0].quote)) < _KNOWN_AGAIN:
        return ()
    own = sources[0].chunk.document_id
    found = (chunk.document_id for chunk in hits if _holds(chunk, sources[0].quote))
    return tuple(dict.fromkeys(one for one in found if one != own))


def _holds(chunk: Chunk, quote: str) -> bool:
    return normalise_quote(quote) in _normalised(chunk.text)


_normalised = lru_cache(maxsize=1024)(normalise_quote)
