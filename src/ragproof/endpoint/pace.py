"""Keeping to a rate of requests."""

import threading
import time


class Pace:
    """Hands out moments at which requests may start, so many a second."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1.0 / rate
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self, stop: threading.Event) -> None:
        """Wait for the next moment, or until ``stop`` is set."""
        if not self._gap:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(self._next, now)
            self._next = turn + self._gap
        stop.wait(turn - now)
