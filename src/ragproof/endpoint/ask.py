"""Asking about all cases: workers, the rate limit, and stopping early when all is lost."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence

from ragproof.endpoint.client import Client, Exchange, Plan
from ragproof.endpoint.deadline import Watchdog
from ragproof.endpoint.pace import Pace
from ragproof.records import Case, Failure, FailureKind

HOPELESS = frozenset(
    {
        FailureKind.REFUSED,
        FailureKind.UNRESOLVED,
        FailureKind.TLS,
        FailureKind.AUTH,
        FailureKind.FORBIDDEN,
    }
)
HOPELESS_AFTER = 10
ANY_FAILURE_AFTER = 25
_GRACE_S = 1.0

Take = Callable[[int, Exchange], Failure | None]
"""Takes the exchange about the case at an index; says the failure that it amounts to."""


class Breaker:
    """Notices that an endpoint answers nothing at all, while asking has just begun."""

    def __init__(self) -> None:
        self._hopeless = 0
        self._failed = 0
        self._answered = False
        self.tripped: Failure | None = None

    def note(self, failure: Failure | None) -> bool:
        """Take the next result; True once there is no use in asking on."""
        if failure is None:
            self._answered = True
        if self._answered or failure is None:
            return False
        self._failed += 1
        self._hopeless += failure.kind in HOPELESS
        if self._hopeless >= HOPELESS_AFTER or self._failed >= ANY_FAILURE_AFTER:
            self.tripped = failure
        return self.tripped is not None


class Asking:
    """The asking of all cases, running in the background once begun."""

    def __init__(self, plan: Plan, cases: Sequence[Case], take: Take) -> None:
        self._plan = plan
        self._cases = cases
        self._take = take
        self._stop = threading.Event()
        self._go = threading.Event()
        self._indices: Iterator[int] = iter(range(len(cases)))
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._watchdog = Watchdog()
        count = min(plan.settings.concurrency, len(cases))
        pace = Pace(plan.settings.rate_limit)
        self._clients = [
            Client(plan, self._watchdog.watch(), self._stop, pace) for _ in range(count)
        ]
        self._threads = [
            threading.Thread(target=self._work, args=(client,), daemon=True)
            for client in self._clients
        ]
        self.breaker = Breaker()
        self.done = 0
        self.failed = 0

    def begin(self) -> None:
        """Start the workers."""
        self._watchdog.start()
        for thread in self._threads:
            thread.start()
        # Had the first ones begun at once, each further start would wait for them to yield.
        self._go.set()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long; True when all workers have ended."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                return False
        return True

    def cancel(self) -> None:
        """Ask no more; calls in flight get a moment to end and are then cut."""
        self._stop.set()
        if not self.wait(_GRACE_S):
            self._watchdog.abort()
            self.wait(_GRACE_S)

    def end(self) -> None:
        """Release threads and connections.

        Raises:
            BaseException: what a worker died of, if one did.
        """
        self._watchdog.stop()
        for client in self._clients:
            client.close()
        if self._error is not None:
            raise self._error

    def _work(self, client: Client) -> None:
        try:
            self._go.wait()
            while not self._stop.is_set():
                with self._lock:
                    index = next(self._indices, None)
                if index is None:
                    return
                exchange = client.ask(self._cases[index])
                if self._stop.is_set() and exchange.failure is not None:
                    return  # cut by us: this case was not asked to its end
                failure = self._take(index, exchange)
                self._note(failure)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            self._error = error
            self._stop.set()
            self._watchdog.abort()  # what else is answered cannot be kept

    def _note(self, failure: Failure | None) -> None:
        with self._lock:
            self.done += 1
            self.failed += failure is not None
            if self.breaker.note(failure):
                self._stop.set()
