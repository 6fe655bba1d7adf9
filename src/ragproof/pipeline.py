"""The two ways to a run: ask the endpoint, or score responses that were saved."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ragproof.config.endpoint import EndpointConfig
from ragproof.errors import RunFileError, StorageError
from ragproof.evaluation import Evaluation, Job
from ragproof.gate import GateResult
from ragproof.records import Failure, FailureKind
from ragproof.redact import Redactor
from ragproof.results.responses import (
    Hashing,
    Head,
    ResponsesReader,
    ResponsesWriter,
    Saved,
    Source,
    Tail,
    file_sha256,
    question_hash,
)

if TYPE_CHECKING:
    from ragproof.endpoint.ask import Asking
    from ragproof.endpoint.client import Exchange
    from ragproof.endpoint.client import Plan as AskPlan
    from ragproof.endpoint.transport import Network

RESPONSES = "responses.jsonl"
_POLL_S = 0.1


class Progress(NamedTuple):
    """How far the asking is."""

    done: int
    failed: int
    total: int


class Finished(NamedTuple):
    """A run that has been judged and written."""

    result: GateResult
    run: Path
    complete: bool


def ask_plan(endpoint: EndpointConfig, k: int, network: "Network", redactor: Redactor) -> "AskPlan":
    """Compile the requests of an endpoint whose references are resolved.

    Raises:
        ConfigError: an address or a placeholder that cannot be.
    """
    from ragproof.endpoint.client import Plan  # noqa: PLC0415 - saved responses need no client
    from ragproof.endpoint.template import RequestTemplate  # noqa: PLC0415

    templates = {
        name: RequestTemplate(
            request, f"endpoint.{name}" if endpoint.url is None else "endpoint", k
        )
        for name, request in endpoint.requests().items()
    }
    return Plan(templates, endpoint, network, redactor)


def origin(plan: "AskPlan") -> str:
    """Scheme, host and port of the endpoint that is asked (the last, if there are two)."""
    url = urlsplit(list(plan.templates.values())[-1].origin.geturl())
    return f"{url.scheme}://{url.netloc}"


def ask_and_score(
    job: Job,
    plan: "AskPlan",
    folder: Path,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> Finished:
    """Ask about all cases, score, judge, and write ``responses.jsonl`` and ``run.json``.

    Raises:
        StorageError: a file cannot be written; what was written stays.
    """
    from ragproof.endpoint.ask import Asking  # noqa: PLC0415 - saved responses need no client

    head = Head(job.dataset.hash, plan.redactor.text(origin(plan)))
    responses = folder / RESPONSES
    with Evaluation(job, folder) as evaluation:
        writer = ResponsesWriter(responses, head)

        def take(index: int, exchange: "Exchange") -> Failure | None:
            writer.add(job.cases[index], exchange)
            return evaluation.take(
                index, exchange.parsed, exchange.failure, exchange.latency_s, exchange.attempts
            )

        def poll(done: Progress) -> bool:
            writer.flush()
            progress(done)
            return cancelled()

        try:
            tail = _ask(Asking(plan, job.cases, take), len(job.cases), poll)
        except BaseException:
            # What was measured before the fault stays, in the file's name for unfinished runs.
            with suppress(StorageError):
                writer.flush()
            raise
        writer.close(tail)
        result = evaluation.finish(tail)
        run = evaluation.write(
            folder, result, head, tail, Source(responses.name, file_sha256(responses))
        )
    return Finished(result, run, tail.complete)


def _ask(asking: "Asking", total: int, poll: Callable[[Progress], bool]) -> Tail:
    """Ask to the end, until there is no use in asking on, or until ``poll`` says to stop."""
    started = time.monotonic()
    asking.begin()
    try:
        while not asking.wait(_POLL_S):
            if poll(Progress(asking.done, asking.failed, total)):
                asking.cancel()
                break
    except BaseException:
        asking.cancel()
        raise
    finally:
        asking.end()
    poll(Progress(asking.done, asking.failed, total))
    duration_s = round(time.monotonic() - started, 3)
    tripped = asking.breaker.tripped
    if tripped is not None:
        why = f"asking was stopped: the first {asking.done} cases failed ({tripped.message})"
        return Tail(complete=True, duration_s=duration_s, stopped=why)
    complete = asking.done == total
    return Tail(complete, duration_s, "" if complete else "the run was cancelled")


def score_saved(job: Job, responses: Path, folder: Path) -> Finished:
    """Score saved responses as if they had just come, judge, and write ``run.json``.

    Raises:
        RunFileError: the file is none of saved responses, or holds a case twice.
        StorageError: ``run.json`` cannot be written.
    """
    with Evaluation(job, folder) as evaluation:
        reader = ResponsesReader(responses)
        hashing = Hashing(responses)
        all_there = _take_saved(evaluation, reader)
        tail = reader.tail._replace(complete=reader.tail.complete or all_there)
        result = evaluation.finish(tail, responses.name)
        run = evaluation.write(folder, result, reader.head, tail, hashing.source())
    return Finished(result, run, tail.complete)


def _take_saved(evaluation: Evaluation, reader: ResponsesReader) -> bool:
    """Score the saved responses to the cases of the job; True when there is one to each."""
    job = evaluation.job
    indices = {case.id: index for index, case in enumerate(job.cases)}
    seen = bytearray(len(job.cases))
    for saved in reader:
        index = indices.get(saved.case_id)
        if index is None:
            continue
        if seen[index]:
            raise RunFileError(
                f"{reader.path} holds case {saved.case_id!r} twice", "use the responses of one run"
            )
        seen[index] = 1
        failure = saved.failure or _stale(job, index, saved)
        evaluation.take(index, saved.bodies, failure, saved.latency_s, saved.attempts)
    return all(seen)


def _stale(job: Job, index: int, saved: Saved) -> Failure | None:
    if saved.question_hash in (None, question_hash(job.cases[index])):
        return None
    return Failure(FailureKind.MISSING, "the saved response answers another question")
