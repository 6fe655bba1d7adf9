"""Progress of a generation: a bar on a terminal, a line every few seconds elsewhere."""

import sys
import time
from typing import TYPE_CHECKING, Self

import click

from ragproof.cli.console import tell

if TYPE_CHECKING:
    from ragproof.generate.ledger import Ledger

_LINE_EVERY_S = 5.0


class Meter:
    """Shows how many cases of ``total`` were delivered."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._shown = 0
        self._next = time.monotonic() + _LINE_EVERY_S
        self._bar = None
        if sys.stderr.isatty():
            self._bar = click.progressbar(length=total, label=label, file=sys.stderr, show_pos=True)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def __call__(self, ledger: "Ledger") -> None:
        done = ledger.delivered()
        if self._bar is not None:
            self._bar.update(done - self._shown)
            self._shown = done
        elif time.monotonic() >= self._next and done < self._total:
            self._next = time.monotonic() + _LINE_EVERY_S
            tell(
                f"{self._label}: {done} of {self._total} delivered,"
                f" {ledger.discarded().total()} discarded, {ledger.failed().total()} failed"
            )
