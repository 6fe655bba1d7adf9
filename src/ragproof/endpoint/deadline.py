"""Ending calls that take too long, however slowly their bytes drip.

A socket's own timeout starts anew with every byte. One thread therefore watches the
connections of all calls and shuts down those that are past their deadline.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

_INTERVAL = 0.05


class Watch:
    """The call that one worker has in flight."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._expires: float | None = None
        self._socket: socket.socket | None = None
        self.expired = False

    @contextlib.contextmanager
    def until(self, expires: float) -> Iterator[None]:
        """Guard a call that must end before ``expires`` (:func:`time.monotonic`)."""
        with self._lock:
            self._expires, self.expired = expires, False
        try:
            yield
        finally:
            with self._lock:
                self._expires = None

    def connected(self, connection: socket.socket) -> None:
        """Say which socket the call uses from now on."""
        with self._lock:
            self._socket = connection

    def check(self, now: float) -> None:
        """Shut the connection down when its call is past its deadline at ``now``."""
        with self._lock:
            if self._expires is None or now < self._expires:
                return
            self.expired = True
            if self._socket is not None:
                with contextlib.suppress(OSError, ValueError):
                    self._socket.shutdown(socket.SHUT_RDWR)


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
        """End all calls in flight now."""
        for watch in self._watches:
            watch.check(float("inf"))

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_INTERVAL):
            now = time.monotonic()
            for watch in self._watches:
                watch.check(now)
