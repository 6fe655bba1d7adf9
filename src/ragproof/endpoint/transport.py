"""Connections: verified TLS, no forbidden address, every socket known to the watchdog."""

import socket
from http.client import HTTPResponse
from typing import Any, NamedTuple

import requests
from requests.adapters import HTTPAdapter
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from ragproof.endpoint.addresses import is_forbidden, is_localhost
from ragproof.endpoint.deadline import Watch

_READ_BYTES = 32_768


class ForbiddenAddressError(Exception):
    """The endpoint's name leads to an address that is never asked."""


class Network(NamedTuple):
    """What the environment says about the network, read once at start.

    ``proxies`` by scheme; ``verify`` is a file or folder of CA certificates, or True.
    ``localhost`` is the address that this name is connected to over plain HTTP, where
    this machine is a container and the endpoint runs on its host; empty elsewhere.
    """

    proxies: dict[str, str]
    verify: str | bool
    localhost: str = ""


class Adapter(HTTPAdapter):
    """An adapter for one worker: one connection, watched, and no state between cases."""

    def __init__(self, watch: Watch, localhost: str = "") -> None:
        self._watch = watch
        self._localhost = localhost
        self._last: tuple[str | None, Any, str] = (None, None, "")
        super().__init__(pool_connections=2, pool_maxsize=1)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pool_classes(self._watch, self._localhost)

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _pool_classes(self._watch, self._localhost)
        return manager

    def exchange(
        self, request: requests.PreparedRequest, timeout_s: float, network: Network
    ) -> BaseHTTPResponse:
        """Send a request and return the response as soon as its headers are there.

        As :meth:`send`, but the pool is looked up once for all cases that go to one place,
        and no cookies are kept.

        Raises:
            urllib3.exceptions.HTTPError, OSError, ForbiddenAddressError: no response came.
        """
        url, pool, target = self._last
        if url != request.url:
            pool = self.get_connection_with_tls_context(
                request, network.verify, proxies=network.proxies
            )
            self.cert_verify(pool, request.url, network.verify, None)  # type: ignore[no-untyped-call]
            target = self.request_url(request, network.proxies)
            self._last = request.url, pool, target
        response: BaseHTTPResponse = pool.urlopen(
            request.method,
            target,
            body=request.body,
            headers=request.headers,
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=timeout_s,
            preload_content=False,
            decode_content=False,
        )
        return response


def open_session(adapter: Adapter) -> requests.Session:
    """A session for one worker that takes nothing from the environment."""
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session


class _WideReads:
    """A socket that is read in larger pieces: most responses then take one system call."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def makefile(self, mode: str) -> Any:
        return self._sock.makefile(mode, _READ_BYTES)  # type: ignore[call-overload]


class _Response(HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(_WideReads(sock), *args, **kwargs)  # type: ignore[arg-type]


class _OneSegment(HTTPConnection):
    """Sends head and body of a request with one call, where they would be two."""

    response_class = _Response
    _parts: list[bytes] | None = None

    def request(self, *args: Any, **kwargs: Any) -> None:
        self._parts = []
        try:
            super().request(*args, **kwargs)
        finally:
            parts, self._parts = self._parts, None
        if parts:
            self.send(b"".join(parts))

    def send(self, data: Any) -> None:
        if self._parts is not None and isinstance(data, bytes):
            self._parts.append(data)
        else:
            super().send(data)


def _pool_classes(watch: Watch, localhost: str) -> dict[str, Any]:
    """Connection pools whose sockets are checked and made known as soon as they connect."""

    def admit(connection: HTTPConnection, sock: socket.socket) -> socket.socket:
        if connection.proxy is None:
            address = sock.getpeername()[0]
            if is_forbidden(str(address)):
                sock.close()
                raise ForbiddenAddressError(f"{connection.host} is {address}")
        watch.connected(sock)
        sock.settimeout(watch.left())  # for the TLS handshake
        return sock

    class Plain(_OneSegment, HTTPConnection):
        def _new_conn(self) -> socket.socket:
            self.timeout = watch.left()  # less than a whole call's after a redirect
            host = self.host
            if localhost and is_localhost(host) and self.proxy is None:
                self.host = localhost  # for connecting only: the Host header stays as it is
            try:
                return admit(self, super()._new_conn())
            finally:
                self.host = host

    class Secure(_OneSegment, HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            self.timeout = watch.left()
            return admit(self, super()._new_conn())

        def connect(self) -> None:
            super().connect()
            if self.sock is not None:
                watch.connected(self.sock)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
