"""Connections: verified TLS, no forbidden address, every socket known to the watchdog."""

import socket
from typing import Any, NamedTuple

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from ragproof.endpoint.addresses import is_forbidden
from ragproof.endpoint.deadline import Watch


class ForbiddenAddressError(Exception):
    """The endpoint's name leads to an address that is never asked."""


class Network(NamedTuple):
    """What the environment says about the network, read once at start.

    ``proxies`` by scheme; ``verify`` is a file or folder of CA certificates, or True.
    """

    proxies: dict[str, str]
    verify: str | bool


class Adapter(HTTPAdapter):
    """An adapter for one worker: one connection a host, watched, and no state between cases.

    All cases go to the same place, so the look-up of the pool is made once; a response
    is the little that is read of it, without a jar for cookies.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._last: tuple[str | None, Any] = (None, None)
        super().__init__(pool_connections=2, pool_maxsize=1)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pool_classes(self._watch)

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = _pool_classes(self._watch)
        return manager

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> Any:
        url, pool = self._last
        if pool is None or url != request.url:
            pool = super().get_connection_with_tls_context(request, *args, **kwargs)
            self._last = request.url, pool
        return pool

    def build_response(self, req: requests.PreparedRequest, resp: Any) -> requests.Response:
        response = requests.Response()
        response.status_code = resp.status
        response.headers = resp.headers
        response.raw = resp
        response.reason = resp.reason
        return response


def open_session(watch: Watch) -> requests.Session:
    """A session for one worker that takes nothing from the environment."""
    session = requests.Session()
    session.trust_env = False
    adapter = Adapter(watch)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session


def _pool_classes(watch: Watch) -> dict[str, Any]:
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

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            self.timeout = watch.left()
            return admit(self, super()._new_conn())

    class Secure(HTTPSConnection):
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
