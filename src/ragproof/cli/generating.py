"""What ``generate`` does: read, estimate, ask, show progress, and write what was delivered."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ragproof.cli.console import harmless, hide, one_line, say, tell, warn
from ragproof.cli.corpora import Reading, chunking, read
from ragproof.cli.meter import Meter
from ragproof.errors import ExitCode, UsageError
from ragproof.generate.estimate import prompts_to_come
from ragproof.generate.extractive import Prose, extract
from ragproof.generate.metadata import facts, maker
from ragproof.generate.prompts import Prompts, load_prompts
from ragproof.generate.records import Sort
from ragproof.generate.run import Wanted, generate
from ragproof.generate.salience import Salience
from ragproof.generate.works import Works
from ragproof.generate.write import Output

if TYPE_CHECKING:
    from ragproof.corpus.chunk import ChunkSettings
    from ragproof.corpus.records import Corpus
    from ragproof.generate.update import Update
    from ragproof.llm.model import Model
    from ragproof.records import Case

DEFAULT = Wanted(qa=20)
CONFIRM_CALLS = 500
"""Before more calls than this people are asked."""
CONFIRM_COST = 1.0
"""And before they could cost more than this."""


class Order(NamedTuple):
    """What is to be generated. ``wanted`` is ``None`` where no counts were given; ``cache`` where
    no replies are kept."""

    reading: Reading
    out: Path
    wanted: Wanted | None
    seed: int = 0
    extractive: bool = False
    domain: str = "general"
    prompts: Path | None = None
    poison: Path | None = None
    update: Path | None = None
    cache: Path | None = None
    max_cost: float | None = None
    yes: bool = False
    force: bool = False


def run(order: Order) -> int:
    """Generate, write, and say what became of every candidate.

    Raises:
        RagproofError: something of the order cannot be, or nothing was delivered.
    """
    _check(order)
    output = Output(order.out, order.poison)
    output.check(force=order.force)
    settings = chunking(order.reading)
    prompts = None if order.extractive else load_prompts(order.domain, order.prompts)
    with contextlib.ExitStack() as stack:
        model = None if order.extractive else _open(order)
        if model is not None:
            stack.enter_context(model)
        before = _older(order.update)
        corpus = read(order.reading)
        update = _plan(before, corpus)
        works = _prepare(order, corpus, settings, prompts, model, update)
        wanted = _wanted(order, update)
        received = _make(order, works, wanted, corpus, prompts, model)
        return _finish(order, output, works, before, model, received)


def _check(order: Order) -> None:
    wanted = order.wanted or DEFAULT
    if order.extractive and (wanted.unanswerable or wanted.multi):
        what = "unanswerable" if wanted.unanswerable else "multi-document"
        raise UsageError(
            f"{what} questions take a model to write and to check",
            f"leave --{what} out, or the option --generator extractive",
        )
    if order.extractive and (order.prompts or order.max_cost):
        raise UsageError(
            "--generator extractive asks no model", "leave --prompts and --max-cost out"
        )


def _open(order: Order) -> "Model":
    """The model that the environment names."""
    from ragproof.cli.network import read_network
    from ragproof.llm.environment import read_model_settings
    from ragproof.llm.model import open_model
    from ragproof.redact import Redactor

    environ = dict(os.environ)
    if order.max_cost is not None:
        environ["RAGPROOF_GEN_BUDGET_COST"] = str(order.max_cost)
    settings = read_model_settings(environ)
    viking = os.environ.get("RAGPROOF_VIKING_KEY", "").strip()
    redactor = Redactor(filter(None, [settings.key, viking]))
    hide(redactor)
    network = read_network(settings.base_url)
    return open_model(settings, network=network, cache=order.cache, redactor=redactor)


def _older(path: Path | None) -> "tuple[Case, ...] | None":
    if path is None:
        return None
    from ragproof.dataset.load import load_dataset

    return load_dataset(path).cases


def _plan(before: "Sequence[Case] | None", corpus: "Corpus") -> "Update | None":
    if before is None:
        return None
    from ragproof.generate.update import plan_update

    update = plan_update(before, corpus)
    tell(f"{len(update.kept)} of {len(before)} cases stay as they are")
    return update


def _prepare(
    order: Order,
    corpus: "Corpus",
    settings: "ChunkSettings",
    prompts: Prompts | None,
    model: "Model | None",
    update: "Update | None",
) -> Works:
    from ragproof.corpus.chunk import chunk_corpus

    name = None if model is None else model.settings.name
    made_by = maker(corpus, settings, order.seed, name, prompts)
    works = Works(
        chunk_corpus(corpus, settings),
        made_by,
        tags=() if prompts is None else prompts.tags,
        first=() if update is None else update.first,
        kept=() if update is None else update.kept,
    )
    works.ledger.facts = facts(corpus, made_by, prompts)
    works.ledger.kept = {} if update is None else update.kept_counts()
    return works


def _wanted(order: Order, update: "Update | None") -> Wanted:
    return (order.wanted or DEFAULT) if update is None else update.wanted(order.wanted)


def _make(
    order: Order,
    works: Works,
    wanted: Wanted,
    corpus: "Corpus",
    prompts: Prompts | None,
    model: "Model | None",
) -> int:
    """Make what is wanted; return the signal that ended it early, or 0."""
    works.ledger.requested = wanted.counts()
    received = 0
    if model is not None and prompts is not None:
        received = _ask(order, works, wanted, prompts, model)
    else:
        prose = Prose(corpus.documents, Salience(works.chunks))
        bases = wanted.bases(bool(works.kept))
        extract(works.order, prose, wanted.qa, works.taker(Sort.QA, wanted.qa))
        extract(works.order, prose, bases, works.taker(Sort.BASE, bases))
    if not received:
        works.plant(wanted.injection, documents=order.poison is not None)
    return received


def _ask(order: Order, works: Works, wanted: Wanted, prompts: Prompts, model: "Model") -> int:
    from ragproof.generate.asking import Asker

    if not any(wanted):
        return 0
    estimate = model.estimate(prompts_to_come(works, wanted, prompts, model))
    cost = estimate.cost_at_most
    tell(
        f"{model.settings.name}: about {estimate.calls} calls with {estimate.tokens_in:,} tokens"
        + (f", {cost:.2f} at most" if cost is not None else "")
        + "; candidates that are discarded cost more"
    )
    many = estimate.calls > CONFIRM_CALLS or (cost or 0.0) > CONFIRM_COST
    if many and not order.yes:
        _confirm(f"make {estimate.calls} calls?")
    asker = Asker(model, prompts, model.settings.concurrency)
    with Meter("generating", sum((*wanted, wanted.bases(bool(works.kept))))) as meter:
        works.watch(meter)
        received = asyncio.run(_until_signal(generate(works, asker, wanted)))
    if received:
        works.ledger.stopped = f"cancelled by {signal.Signals(received).name}"
    return received


def _confirm(question: str) -> None:
    if not sys.stdin.isatty():
        raise UsageError(f"nobody is there to be asked: {question}", "say so with --yes")
    if not click.confirm(harmless(question), err=True):
        raise click.Abort


async def _until_signal(work: Coroutine[Any, Any, None]) -> int:
    """Await ``work``; SIGINT and SIGTERM end it. Returns the signal, or 0."""
    received: list[int] = []
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def note(number: int) -> None:
        if received:
            raise SystemExit(128 + number)
        received.append(number)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, note, number)
    try:
        await task
    except asyncio.CancelledError:
        if not received:
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return received[0] if received else 0


def _finish(
    order: Order,
    output: Output,
    works: Works,
    before: "Sequence[Case] | None",
    model: "Model | None",
    received: int,
) -> int:
    """Write what is there and account for it."""
    usage = None if model is None else model.usage
    if usage is not None:
        works.ledger.facts["usage"] = {**usage._asdict(), "tokens": usage.tokens}
        _say_usage(usage._asdict())
        if model is not None and model.problem:
            warn(model.problem)
    cases = [*works.kept, *works.cases()]
    if received and not cases:
        _say_ledger(works)
        tell("cancelled: nothing was delivered, nothing was written")
        return 128 + received
    if not cases:
        output.write_ledger(works)
    if not works.kept:
        works.require_something()
    output.write(cases, works)
    _say_ledger(works)
    if before is not None:
        _say_difference(before, cases)
    for sort, short in works.ledger.missing().items():
        if order.extractive and sort in (Sort.MULTI, Sort.UNANSWERABLE):
            reason = "they take a model"
        else:
            reason = works.ledger.stopped or "the corpus is used up"
        warn(f"{short} of the {sort} cases are missing: {one_line(reason)}")
    say(f"wrote {len(cases)} cases to {order.out}, the ledger to {output.ledger}")
    if works.planted and order.poison is not None:
        say(f"wrote {len(works.planted)} poisoned documents to {order.poison}")
    say(f"review them, then: ragproof freeze {order.out}")
    return 128 + received if received else ExitCode.PASS


def _say_ledger(works: Works) -> None:
    for line in works.ledger.lines():
        say(one_line(line))


def _say_usage(usage: dict[str, object]) -> None:
    cost = usage["cost"]
    tell(
        f"{usage['calls']} calls, {usage['cached']} replies from the cache,"
        f" {usage['tokens_in']} tokens in, {usage['tokens_out']} out"
        + (f", cost {cost:.4f}" if isinstance(cost, float) else "")
    )


def _say_difference(before: "Sequence[Case]", cases: "Sequence[Case]") -> None:
    from ragproof.dataset.diff import diff_datasets

    diff = diff_datasets(before, cases)
    for case_id in diff.removed:
        say(f"- {one_line(case_id)}", colour="red")
    for case_id in diff.added:
        say(f"+ {one_line(case_id)}", colour="green")
    for changed in diff.changed:
        say(f"~ {one_line(changed.id)}: {', '.join(changed.fields)}", colour="yellow")
    say(
        f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed,"
        f" {diff.same} the same"
    )
