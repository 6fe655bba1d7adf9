"""Ending calls that take too long, however slowly their bytes drip.

A socket's own timeout starts anew with every byte. One thread therefore watches the
connections of all calls and shuts down those that are past their deadline.
"""

import contextlib
import socket
import threading
import time
import weakref
from collections.abc import Iterator

_INTERVAL = 0.05


class Watch:
    """The call that one worker has in flight."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._expires: float | None = None
        self._latest = float("inf")
        # A worker that asks two hosts, or was redirected, keeps a connection to each.
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self.expired = False

    @contextlib.contextmanager
    def until(self, expires: float) -> Iterator[None]:
        """Guard a call that must end before ``expires`` (:func:`time.monotonic`)."""
        with self._lock:
            self._expires, self.expired = min(expires, self._latest), False
        try:
            yield
        finally:
            with self._lock:
                self._expires = None

    def left(self) -> float:
        """Seconds that the call in flight has left, never quite none."""
        return max(0.001, (self._expires or 0.0) - time.monotonic())

    def connected(self, connection: socket.socket) -> None:
        """Say that calls may use this socket from now on."""
        with self._lock:
            self._sockets.add(connection)

    def check(self, now: float) -> None:
        """Shut all connections down when the call is past its deadline at ``now``."""
        with self._lock:
            if self._expires is None or now < self._expires:
                return
            self.expired = True
            for connection in self._sockets:
                with contextlib.suppress(OSError, ValueError):
                    connection.shutdown(socket.SHUT_RDWR)

    def abort(self) -> None:
        """End the call in flight now, and at once each that is begun later."""
        with self._lock:
            self._latest = 0.0
            if self._expires is not None:
                self._expires = 0.0  # also for a connection that is only being made
        self.check(float("inf"))


class Watchdog:
    """Checks all watches a few times a second, on a thread of its own."""

    def __init__(self) -> None:
        self._watches: list[Watch] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ragproof-deadline", daemon=True)

    def watch(self) -> Watch:
        """A watch for one worker. Call before :meth:`start`."""
        watch = Watch()
        self._watches.append(watch)
        return watch

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def abort(self) -> None:
        """End all calls in flight now, and at once those that are begun later."""
        for watch in self._watches:
            watch.abort()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_INTERVAL):
            now = time.monotonic()
            for watch in self._watches:
                watch.check(now)
