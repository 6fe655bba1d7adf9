"""Questions that the corpus does not answer: on its topics, and compared with all of it."""

import asyncio

from ragproof.corpus.records import Chunk
from ragproof.generate.asking import Asker, passage, unusable
from ragproof.generate.checks import Unfit, check_question
from ragproof.generate.language import detect_language
from ragproof.generate.prompts import Data
from ragproof.generate.records import Discard, Discarded, Draft, Outcome
from ragproof.generate.replies import Answering, read_answerable, read_questions
from ragproof.generate.search import ChunkIndex
from ragproof.generate.text import find_quote
from ragproof.llm.errors import CompletionError
from ragproof.records import Kind

SHOWN = 5
"""Of all chunks, so many that match the question best are shown to the model."""


async def from_chunk(asker: Asker, index: ChunkIndex, chunk: Chunk, count: int) -> list[Outcome]:
    """Ask for so many questions on the topic of a chunk, and keep what nothing answers."""
    try:
        value = await asker.ask("unanswerable", passage=passage(chunk), count=count)
        written = read_questions(value)
    except CompletionError as error:
        return [unusable(error, chunk)]
    if not written:
        reason = Discard.SHAPE if written is None else Discard.NOTHING
        return [Discarded(reason, chunk)]
    language = detect_language(chunk.text)
    jobs = (_judge(asker, index, one.question, chunk, language) for one in written[:count])
    return list(await asyncio.gather(*jobs))


async def _judge(
    asker: Asker, index: ChunkIndex, question: str, chunk: Chunk, language: str | None
) -> Outcome:
    try:
        check_question(question, language)
        shown = await compare(asker, index, question, chunk)
    except Unfit as unfit:
        return Discarded(unfit.reason, chunk, question, unfit.detail)
    except CompletionError as error:
        return unusable(error, chunk, question)
    return Draft(Kind.UNANSWERABLE, chunk, question, None, (), language, checked=shown)


async def compare(
    asker: Asker, index: ChunkIndex, question: str, chunk: Chunk | None
) -> tuple[Chunk, ...]:
    """The chunks that might have answered and do not; ``chunk``, if given, is among them.

    Raises:
        Unfit: one answers, or the model does not say.
        CompletionError: the call failed.
    """
    found = await asyncio.to_thread(nearest, index, question)
    if chunk is not None and chunk.id not in {one.id for one in found}:
        found = (*found[: SHOWN - 1], chunk)
    value = await asker.ask(
        "answerable", question=Data(question), passages=[passage(one) for one in found]
    )
    answering = read_answerable(value, len(found))
    if answering is None:
        raise Unfit(Discard.UNCLEAR)
    if isinstance(answering, Answering):
        one = found[answering.passage]
        known = find_quote(answering.quote, one.text) is not None
        detail = f"{one.document_id}: {answering.quote}" if known else one.document_id
        raise Unfit(Discard.ANSWERED, detail)
    if answering:
        raise Unfit(Discard.ANSWERED)
    return found


def nearest(index: ChunkIndex, question: str) -> tuple[Chunk, ...]:
    """The chunks of the whole corpus that match a question best."""
    return tuple(index.search(question, SHOWN))
