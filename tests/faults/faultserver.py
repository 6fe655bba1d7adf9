"""A real HTTP server, on raw sockets, that misbehaves as the path of a request says."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

_TLS_HANDSHAKE = b"\x16"


class Request(NamedTuple):
    """A request as it arrived, and the how manieth of its path it is, from 1."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    count: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


class Wire:
    """The server's end of a connection."""

    def __init__(self, connection: socket.socket, stopping: threading.Event) -> None:
        self._socket = connection
        self._stopping = stopping

    def send(self, *parts: bytes) -> None:
        self._socket.sendall(b"".join(parts))

    def drip(self, data: bytes, every_s: float = 1.0) -> None:
        """Send a byte at a time until the other side has gone."""
        for index in range(len(data)):
            self.send(data[index : index + 1])
            if self._stopping.wait(every_s):
                return

    def hang(self) -> None:
        """Say nothing until the other side has gone."""
        while not self._stopping.is_set() and self._socket.recv(65536):
            pass

    def reset(self) -> None:
        """End the connection the hard way."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


Behaviour = Callable[[Wire, Request], bool | None]
"""Answers a request; True keeps the connection open for the next."""


def reply(
    body: bytes,
    status: str = "200 OK",
    headers: Mapping[str, str] | None = None,
    *,
    length: int | None = None,
    version: str = "HTTP/1.1",
) -> bytes:
    """A whole response."""
    lines = [f"{version} {status}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if headers is None or "Content-Type" not in headers:
        lines.append("Content-Type: application/json")
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def answering(response: bytes) -> Behaviour:
    """Sends the same response each time."""

    def behave(wire: Wire, request: Request) -> bool:
        wire.send(response)
        return True

    return behave


class FaultServer:
    """Serves behaviours by path on a free port of this machine, until closed."""

    def __init__(
        self, behaviours: Mapping[str, Behaviour], context: ssl.SSLContext | None = None
    ) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self._behaviours = behaviours
        self._context = context
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        with self._lock:
            waiting = list(self._open)
        for connection in waiting:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        raw = connection
        try:
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
                with self._lock:
                    self._open.add(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._talk(connection)
        except OSError:
            pass  # the other side has gone: what most faults lead to
        finally:
            connection.close()
            with self._lock:
                self._open.discard(raw)
                self._open.discard(connection)

    def _talk(self, connection: socket.socket) -> None:
        wire = Wire(connection, self._stopping)
        with connection.makefile("rb") as stream:
            while (request := self._read(stream, wire)) is not None:
                behaviour = self._behaviours[request.path]
                if not behaviour(wire, request):
                    return

    def _read(self, stream: Any, wire: Wire) -> Request | None:
        first = stream.read(1)
        if first == _TLS_HANDSHAKE:
            wire.send(reply(b"", "400 Bad Request"))
            return None
        line = (first + stream.readline()).decode("latin-1").split()
        if len(line) != 3:
            return None
        headers: dict[str, str] = {}
        for raw in iter(stream.readline, b"\r\n"):
            if not raw:
                return None
            name, _, value = raw.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
        path = line[1].partition("?")[0]
        with self._lock:
            self._counts[path] = self._counts.get(path, 0) + 1
            request = Request(line[0], line[1], headers, body, self._counts[path])
            self.requests.append(request)
        return request


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """A port of this machine on which nothing listens, for as long as the block runs."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
