"""The demo service on a port of its own."""

import socket
import sys
from contextlib import suppress
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from types import TracebackType
from typing import Any, Self

from ragproof.demo.answer import Handbook, Responder
from ragproof.demo.handler import handler_for
from ragproof.demo.regress import Regressed


class DemoServer:
    """The service over HTTP (port 0: any free one), until it is stopped.

    ``regress`` serves the version that got worse. A stopped server does not start again.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, regress: bool = False) -> None:
        self._responder: Responder = Regressed() if regress else Handbook()
        try:
            self._http = _Server(host, port, self._responder)
        except OSError:
            self._responder.close()
            raise
        self._thread: Thread | None = None
        self._served = False

    @property
    def url(self) -> str:
        """Where it answers, without a slash at the end."""
        host, port = self._http.server_name, self._http.server_port
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def start(self) -> Self:
        """Serve in the background; once started it stays so."""
        if self._thread is not None:
            return self
        self._served = True
        self._thread = Thread(target=self.serve_forever, name="ragproof-demo", daemon=True)
        self._thread.start()
        return self

    def serve_forever(self) -> None:
        """Serve in this thread until it is interrupted or another thread stops the server."""
        self._served = True
        self._http.serve_forever(poll_interval=0.05)

    def stop(self) -> None:
        """Close the port and every connection; once is enough."""
        if self._served:
            self._http.shutdown()
        if self._thread is not None:
            self._thread.join()
        self._http.server_close()
        self._http.cut_connections()
        self._responder.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    """A thread for each connection; keeps them in view, so that a stop ends them too."""

    request_queue_size = 128

    def __init__(self, host: str, port: int, responder: Responder) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._connections: set[Any] = set()
        self._stopped = False
        super().__init__((host, port), handler_for(responder))

    def server_bind(self) -> None:
        # The parent asks the name service for the host's full name, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.socket.getsockname()[:2]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        """End the connections that clients keep open."""
        self._stopped = True
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that went away, or was cut off by the stop, is no news.
        if not self._stopped and not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
