"""A model that is asked over HTTP, many prompts at once, within limits and never twice."""

import asyncio
import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Self

from ragproof.endpoint.deadline import Watchdog
from ragproof.endpoint.transport import Network
from ragproof.llm.cache import ReplyCache, cache_key
from ragproof.llm.calling import Caller, Shared
from ragproof.llm.errors import (
    CompletionError,
    FatalModelError,
    ModelError,
    Reason,
    RefusedError,
    TruncatedError,
)
from ragproof.llm.providers.wire import Finish, Reply
from ragproof.llm.settings import ModelSettings
from ragproof.llm.tokens import estimate_prompt, estimate_tokens
from ragproof.llm.usage import Account, Estimate, Usage, estimate
from ragproof.redact import Redactor

NOBODY_AFTER = 3
"""Failed calls in a row, before any succeeded, after which there is nobody to ask."""
LOST_AFTER = 20
"""Failed calls in a row, after some succeeded, after which asking on is of no use."""
_MEETS_ALL = frozenset({Reason.UNAVAILABLE, Reason.SHAPE, Reason.REJECTED})

_DIRECT = Network({}, True)


def open_model(
    settings: ModelSettings,
    *,
    network: Network = _DIRECT,
    cache: Path | None = None,
    redactor: Redactor | None = None,
) -> "Model":
    """A model to ask; close it, or use it in a ``with`` statement.

    ``network`` says which proxies and authorities to use (none and the usual ones), ``cache`` is
    a folder for replies (none are kept without), ``redactor`` masks the key and other secrets
    in whatever the provider sends (by default the key alone).
    """
    if redactor is None:
        redactor = Redactor([] if settings.key is None else [settings.key])
    return Model(settings, network, None if cache is None else ReplyCache(cache), redactor)


class Model:
    """Implements :class:`~ragproof.llm.protocol.Completer`. Calls wait on threads; at most
    ``settings.concurrency`` are in flight, the same prompt only once."""

    raises_model_errors = True

    def __init__(
        self,
        settings: ModelSettings,
        network: Network,
        cache: ReplyCache | None,
        redactor: Redactor,
    ) -> None:
        self.settings = settings
        self._shared = Shared(settings, network, redactor)
        self._cache = cache
        self._account = Account(settings)
        self._watchdog = Watchdog()
        self._callers = [
            Caller(self._shared, self._watchdog.watch()) for _ in range(settings.concurrency)
        ]
        self._idle = list(self._callers)
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Reply]] = {}
        self._failures = 0
        self._answered = False
        self._fatal: FatalModelError | None = None
        self._threads = ThreadPoolExecutor(settings.concurrency, "ragproof-model")
        self._watchdog.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End calls in flight and release threads and connections. What was answered is kept."""
        if self._shared.stop.is_set():
            return
        self._shared.stop.set()
        self._watchdog.abort()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._watchdog.stop()
        for caller in self._callers:
            caller.close()

    @property
    def usage(self) -> Usage:
        """What was asked so far and what it cost."""
        return self._account.usage

    @property
    def problem(self) -> str:
        """Why replies are not kept, if they should be and cannot."""
        return "" if self._cache is None else self._cache.problem

    def estimate(self, prompts: Iterable[str]) -> Estimate:
        """What it costs at most to ask these prompts; saved replies cost nothing."""
        return estimate(self.settings, [prompt for prompt in prompts if not self._saved(prompt)])

    async def get_completion_async(self, prompt: str) -> str:
        """The model's whole reply to one prompt.

        Raises:
            CompletionError: this call gave nothing to use: cut off, refused, empty, no answer.
            FatalModelError: no call can: a wrong key, an unknown model, nobody there.
            BudgetError: the call could have exceeded the budget and was not made.
        """
        if self._shared.stop.is_set():
            raise CompletionError(Reason.STOPPED, f"{self.settings.name} was closed")
        key = cache_key(self.settings, prompt)
        reply = None if self._cache is None else self._cache.get(key)
        if reply is not None:
            self._account.note(cached=1)
        else:
            # Shielded: who stops waiting must not end a call that others wait for as well.
            reply = await asyncio.shield(asyncio.wrap_future(self._begin(key, prompt)))
        try:
            return _text(reply, self.settings)
        except CompletionError:
            self._account.note(failed=1)
            raise

    def _saved(self, prompt: str) -> bool:
        if self._cache is None:
            return False
        return self._cache.get(cache_key(self.settings, prompt)) is not None

    def _begin(self, key: str, prompt: str) -> Future[Reply]:
        """The call that is in flight about this prompt, begun now if there is none."""
        with self._lock:
            future = self._asked.get(key)
            if future is None:
                try:
                    future = self._threads.submit(self._ask, key, prompt)
                except RuntimeError:
                    message = f"{self.settings.name} was closed"
                    raise CompletionError(Reason.STOPPED, message) from None
                self._asked[key] = future
        return future

    def _ask(self, key: str, prompt: str) -> Reply:
        """Ask about one prompt, on a thread."""
        try:
            with self._lock:
                if self._fatal is not None:
                    raise FatalModelError(self._fatal.message, self._fatal.hint)
                caller = self._idle.pop()
            try:
                reply = self._call(caller, prompt)
            finally:
                with self._lock:
                    self._idle.append(caller)
            if self._cache is not None and reply.text.strip():
                self._cache.put(key, reply)
            return reply
        finally:
            with self._lock:
                self._asked.pop(key, None)

    def _call(self, caller: Caller, prompt: str) -> Reply:
        size = estimate_prompt(prompt)
        self._account.reserve(size, self._shared.stop)
        try:
            answered = caller.ask(prompt)
            self._account.note(calls=answered.tries > 0, retries=max(0, answered.tries - 1))
            for _ in range(answered.unsure):
                self._account.spend(size, 0, estimated=True)
            outcome = answered.outcome
            if isinstance(outcome, Reply):
                self._spend(outcome, size)
        finally:
            self._account.release(size)
        fatal = self._note(outcome)
        if isinstance(outcome, Reply):
            return outcome
        self._account.note(failed=1)
        raise fatal or outcome

    def _spend(self, reply: Reply, size: int) -> None:
        estimated = reply.tokens_in is None or reply.tokens_out is None
        tokens_in = size if reply.tokens_in is None else reply.tokens_in
        tokens_out = reply.tokens_out
        if tokens_out is None:
            tokens_out = estimate_tokens(reply.text)
        self._account.spend(tokens_in, tokens_out, estimated=estimated)

    def _note(self, outcome: Reply | ModelError) -> FatalModelError | None:
        """Notice, and return, what will meet all further calls as well."""
        with self._lock:
            if isinstance(outcome, Reply):
                self._failures, self._answered = 0, True
            elif isinstance(outcome, FatalModelError):
                self._fatal = self._fatal or outcome
            elif isinstance(outcome, CompletionError) and outcome.reason in _MEETS_ALL:
                self._failures += 1
                limit = LOST_AFTER if self._answered else NOBODY_AFTER
                if self._failures >= limit and self._fatal is None:
                    message = f"{outcome.message}; so ended {self._failures} calls in a row"
                    self._fatal = FatalModelError(message, outcome.hint)
            return self._fatal


def _text(reply: Reply, settings: ModelSettings) -> str:
    """The text of a reply that is whole.

    Raises:
        CompletionError: it was cut off, refused or is empty.
    """
    if reply.finish is Finish.REFUSED:
        raise RefusedError(f"{settings.name} declined to answer ({reply.detail})")
    if reply.finish is Finish.LENGTH:
        raise TruncatedError(
            f"the reply of {settings.name} was cut off at {settings.max_tokens} tokens",
            f"raise {settings.variable('MAX_TOKENS')}",
        )
    if not reply.text.strip():
        raise CompletionError(Reason.EMPTY, f"the reply of {settings.name} is empty")
    return reply.text
