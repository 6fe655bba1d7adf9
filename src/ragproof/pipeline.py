"""The two ways to a run: ask the endpoint, or score responses that were saved."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ragproof.config.models import EndpointConfig
from ragproof.endpoint.ask import Asking
from ragproof.endpoint.client import Exchange
from ragproof.endpoint.client import Plan as AskPlan
from ragproof.endpoint.template import RequestTemplate
from ragproof.endpoint.transport import Network
from ragproof.errors import RunFileError
from ragproof.evaluation import Evaluation, Job
from ragproof.gate import GateResult
from ragproof.records import Failure, FailureKind
from ragproof.redact import Redactor
from ragproof.results.responses import (
    Head,
    ResponsesReader,
    ResponsesWriter,
    Saved,
    Tail,
    question_hash,
)

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


def ask_plan(endpoint: EndpointConfig, k: int, network: Network, redactor: Redactor) -> AskPlan:
    """Compile the requests of an endpoint whose references are resolved.

    Raises:
        ConfigError: an address or a placeholder that cannot be.
    """
    templates = {
        name: RequestTemplate(
            request, f"endpoint.{name}" if endpoint.url is None else "endpoint", k
        )
        for name, request in endpoint.requests().items()
    }
    return AskPlan(templates, endpoint, network, redactor)


def origin(plan: AskPlan) -> str:
    """Scheme, host and port of the endpoint that is asked (the last, if there are two)."""
    url = urlsplit(list(plan.templates.values())[-1].origin.geturl())
    return f"{url.scheme}://{url.netloc}"


def ask_and_score(
    job: Job,
    plan: AskPlan,
    folder: Path,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> Finished:
    """Ask about all cases, score, judge, and write ``responses.jsonl`` and ``run.json``.

    Raises:
        StorageError: a file cannot be written; what was written stays.
    """
    head = Head(job.dataset.hash, plan.redactor.text(origin(plan)))
    responses = folder / RESPONSES
    evaluation = Evaluation(job, folder)
    writer = ResponsesWriter(responses, head)

    def take(index: int, exchange: Exchange) -> Failure | None:
        writer.add(job.cases[index], exchange)
        return evaluation.take(
            index, exchange.parsed, exchange.failure, exchange.latency_s, exchange.attempts
        )

    asking = Asking(plan, job.cases, take)
    started = time.monotonic()
    asking.begin()
    while not asking.wait(_POLL_S):
        progress(Progress(asking.done, asking.failed, len(job.cases)))
        if cancelled():
            asking.cancel()
            break
    asking.end()
    progress(Progress(asking.done, asking.failed, len(job.cases)))
    duration_s = round(time.monotonic() - started, 3)
    tripped = asking.breaker.tripped
    complete = asking.done == len(job.cases) or tripped is not None
    tail = Tail(complete, duration_s)
    writer.close(tail)
    why = "the run was cancelled"
    if tripped is not None:
        why = f"asking was stopped: the first {asking.done} cases failed ({tripped.message})"
    result = evaluation.finish(why, complete=complete)
    return Finished(result, evaluation.write(folder, result, head, tail, responses), complete)


def score_saved(job: Job, responses: Path, folder: Path) -> Finished:
    """Score saved responses as if they had just come, judge, and write ``run.json``.

    Raises:
        RunFileError: the file is none of saved responses, or holds a case twice.
        StorageError: ``run.json`` cannot be written.
    """
    evaluation = Evaluation(job, folder)
    indices = {case.id: index for index, case in enumerate(job.cases)}
    seen = bytearray(len(job.cases))
    reader = ResponsesReader(responses)
    for saved in reader:
        index = indices.get(saved.case_id)
        if index is None:
            continue
        if seen[index]:
            raise RunFileError(
                f"{responses} holds case {saved.case_id!r} twice", "use the responses of one run"
            )
        seen[index] = 1
        failure = saved.failure or _stale(job, index, saved)
        evaluation.take(index, saved.bodies, failure, saved.latency_s, saved.attempts)
    complete = reader.tail.complete or all(seen)
    tail = Tail(complete, reader.tail.duration_s)
    result = evaluation.finish(f"{responses.name} holds no response to it", complete=complete)
    return Finished(
        result, evaluation.write(folder, result, reader.head, tail, responses), complete
    )


def _stale(job: Job, index: int, saved: Saved) -> Failure | None:
    if saved.question_hash in (None, question_hash(job.cases[index])):
        return None
    return Failure(FailureKind.MISSING, "the saved response answers another question")
