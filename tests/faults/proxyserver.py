"""A small real proxy: forwards plain requests and tunnels the others."""

import contextlib
import socket
import threading
from typing import Self
from urllib.parse import urlsplit


class ProxyServer:
    """Notes the first line and headers of each request, then does what a proxy does.

    ``hosts`` says where names lead; whatever is not in it leads nowhere.
    """

    def __init__(self, hosts: dict[str, int]) -> None:
        self.heads: list[bytes] = []
        self._hosts = hosts
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._open: list[socket.socket] = []
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(client)
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                data = client.recv(65536)
                if not data:
                    return
                head += data
            self.heads.append(head.partition(b"\r\n\r\n")[0])
            method, target, _ = head.split(b"\r\n")[0].decode().split()
            host = target.rpartition(":")[0] if method == "CONNECT" else urlsplit(target).hostname
            if host not in self._hosts:
                client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                return
            with socket.create_connection(("127.0.0.1", self._hosts[host])) as server:
                self._open.append(server)
                if method == "CONNECT":
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                else:
                    server.sendall(head.replace(target.encode(), _path(target).encode(), 1))
                back = threading.Thread(target=_pump, args=(server, client), daemon=True)
                back.start()
                _pump(client, server)
                back.join()


def _path(target: str) -> str:
    parts = urlsplit(target)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
