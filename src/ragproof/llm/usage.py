"""What was asked and what it cost, and a budget that is never exceeded."""

import threading
from collections.abc import Iterable
from typing import NamedTuple

from ragproof.llm.errors import BudgetError
from ragproof.llm.settings import ModelSettings
from ragproof.llm.tokens import estimate_prompt

_WAIT_S = 0.2


class Usage(NamedTuple):
    """An account of calls. ``calls`` are prompts that went to the provider, ``cached`` those
    that a saved reply answered, ``failed`` those that gave nothing to use, ``retries`` further
    tries. ``estimated`` counts the calls whose tokens the provider did not count. ``cost`` is
    ``None`` where no prices are set.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out


class Estimate(NamedTuple):
    """What prompts will cost: ``calls`` that no saved reply answers, their tokens by their
    characters, and at most so many tokens out and so much money (``None``: no prices)."""

    calls: int
    tokens_in: int
    tokens_out_at_most: int
    cost_at_most: float | None


def estimate(settings: ModelSettings, prompts: Iterable[str]) -> Estimate:
    """What it costs at most to ask all these prompts."""
    sizes = [estimate_prompt(prompt) for prompt in prompts]
    tokens_in, tokens_out = sum(sizes), len(sizes) * settings.max_tokens
    return Estimate(len(sizes), tokens_in, tokens_out, settings.cost(tokens_in, tokens_out))


class Account:
    """Counts what is spent, and holds back calls that could exceed the budget."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._usage = Usage()
        self._held_in = 0
        self._held_out = 0

    @property
    def usage(self) -> Usage:
        """The account as it stands."""
        with self._changed:
            used = self._usage
        return used._replace(cost=self._settings.cost(used.tokens_in, used.tokens_out))

    def reserve(self, tokens_in: int, stop: threading.Event) -> None:
        """Set tokens aside for a call, at most ``max_tokens`` of them for its reply.

        While calls in flight could still leave enough, it waits for them, or for ``stop``.

        Raises:
            BudgetError: even without them the call could exceed the budget.
        """
        tokens_out = self._settings.max_tokens
        with self._changed:
            while not stop.is_set():
                problem = self._exceeded(tokens_in, tokens_out, held=True)
                if not problem:
                    break
                if self._exceeded(tokens_in, tokens_out, held=False):
                    raise self._error(problem)
                self._changed.wait(_WAIT_S)
            self._held_in += tokens_in
            self._held_out += tokens_out

    def release(self, tokens_in: int) -> None:
        """Give back what was set aside for a call."""
        with self._changed:
            self._held_in -= tokens_in
            self._held_out -= self._settings.max_tokens
            self._changed.notify_all()

    def spend(self, tokens_in: int, tokens_out: int, *, estimated: bool) -> None:
        """Count what a request used."""
        with self._changed:
            used = self._usage
            self._usage = used._replace(
                tokens_in=used.tokens_in + tokens_in,
                tokens_out=used.tokens_out + tokens_out,
                estimated=used.estimated + estimated,
            )

    def note(self, *, calls: int = 0, cached: int = 0, failed: int = 0, retries: int = 0) -> None:
        """Count events."""
        with self._changed:
            used = self._usage
            self._usage = used._replace(
                calls=used.calls + calls,
                cached=used.cached + cached,
                failed=used.failed + failed,
                retries=used.retries + retries,
            )

    def _exceeded(self, tokens_in: int, tokens_out: int, *, held: bool) -> str:
        """The variable of the budget that so many more tokens could exceed, or nothing."""
        settings, used = self._settings, self._usage
        tokens_in += used.tokens_in + (self._held_in if held else 0)
        tokens_out += used.tokens_out + (self._held_out if held else 0)
        if settings.budget_tokens is not None and tokens_in + tokens_out > settings.budget_tokens:
            return "BUDGET_TOKENS"
        cost = settings.cost(tokens_in, tokens_out)
        if settings.budget_cost is not None and cost is not None and cost > settings.budget_cost:
            return "BUDGET_COST"
        return ""

    def _error(self, name: str) -> BudgetError:
        settings, used = self._settings, self._usage
        spent = f"{used.tokens} of {settings.budget_tokens} tokens"
        if name == "BUDGET_COST":
            cost = settings.cost(used.tokens_in, used.tokens_out) or 0.0
            spent = f"{cost:.4f} of {settings.budget_cost:g}"
        return BudgetError(
            f"the budget of {settings.name} does not allow another call: {spent} are spent,"
            f" and a call may take {settings.max_tokens} tokens for its reply",
            f"raise {settings.variable(name)} or lower {settings.variable('MAX_TOKENS')}"
            "; replies so far are kept and cost nothing again",
        )
