"""GitHub's REST API, as far as ragproof calls it, with memory, on a port of this machine.

It pages, knows permissions, limits and long bodies, fails as it is told to, and refuses
(500, and remembers) any call that it does not know. As a program it serves until it is
ended, and prints its address as a line of JSON::

    python tests/github/server.py --host 0.0.0.0 --port 0 --start start.json --state state.json

``start.json`` is what :func:`from_start` reads; ``state.json`` is rewritten after each call
and is what ``GET /_state`` answers as well. Calls may come with or without ``/api/v3``.
"""

import argparse
import base64
import contextlib
import json
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from hub import Exchange, Fault, Github, Link, Pull, Reply, Request, Token


class _Http(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for them
    owner: "Server"

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Keep the connection in mind: clients leave theirs open."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection, and end it."""
        self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End all that are open."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gives up is what some tests are about."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    wbufsize = -1  # a reply in one piece, or the next call waits for an acknowledgement
    server: _Http

    def handle_any(self) -> None:
        """Answer a call, or break off as a fault says."""
        length = int(self.headers.get("Content-Length") or 0)
        request = _request(self.command, self.path, self.headers.items(), self.rfile.read(length))
        owner = self.server.owner
        with owner.lock:
            if request.path == "/_state":
                reply, how = Reply(200, owner.github.state()), ""
            else:
                reply, how = self._exchange(owner.github, request)
                owner.save()
        if reply is not None:
            self._send(reply)
        else:
            self._break(how)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = handle_any  # noqa: N815

    @staticmethod
    def _exchange(github: Github, request: Request) -> tuple[Reply | None, str]:
        """The reply to send, or how to break off instead."""
        fault = github.fault_for(request) or Fault(request.method, "", how="none")
        if fault.meanwhile is not None:
            fault.meanwhile(github)
        injected = fault.how != "none"
        reply = github.answer(request) if fault.after or not injected else None
        if injected:
            answers = fault.how == "answer"
            reply = Reply(fault.status, fault.body, fault.headers) if answers else None
        github.exchanges.append(Exchange(request, reply, injected))
        return reply, fault.how

    def _send(self, reply: Reply) -> None:
        raw = isinstance(reply.body, bytes)
        data = reply.body if raw else json.dumps(reply.body).encode()
        kind = "application/vnd.github.raw+json" if raw else "application/json"
        github = self.server.owner.github
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(data)),
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-RateLimit-Limit": "1000",
            "X-RateLimit-Remaining": str(github.remaining),
            "X-RateLimit-Reset": str(github.reset),
            **reply.headers,
        }
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _break(self, how: str) -> None:
        self.close_connection = True
        if how == "hang":
            self.server.owner.stopping.wait(self.timeout)
        elif how == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'[{"id":')
        else:
            at_once = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


def _request(method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> Request:
    parts = urlsplit(target)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    found = {name.lower(): value for name, value in headers}
    return Request(method, target, parts.path.removeprefix("/api/v3"), query, found, body)


class Server:
    """Serves a :class:`Github` on a port, until closed."""

    def __init__(
        self,
        github: Github,
        host: str = "127.0.0.1",
        port: int = 0,
        state_file: Path | None = None,
    ) -> None:
        self.github = github
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self._state_file = state_file
        self._http = _Http((host, port), _Handler)
        self._http.owner = self
        self.port: int = self._http.server_address[1]
        self.url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self.save()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.end_connections()
        self._http.server_close()
        self._thread.join()

    def save(self) -> None:
        """Write the state file anew, whole."""
        if self._state_file is None:
            return
        beside = self._state_file.with_name(f"{self._state_file.name}.new")
        beside.write_text(json.dumps(self.github.state()), "utf-8")
        beside.replace(self._state_file)


def from_start(start: Mapping[str, Any]) -> Github:
    """The state that a JSON file describes.

    ``repository``; ``tokens`` by token, each with ``login`` and ``permissions``; ``pulls`` and
    ``comments``, lists of the fields of :class:`Pull` and :class:`Comment` without ``id``;
    ``commits`` by hash, each of files by path: text, ``{"base64": ...}`` or ``{"link": ...}``;
    ``branches`` by name, each with ``sha`` and ``files`` by path, texts; ``may_open_pulls``.
    """
    github = Github(repository=start.get("repository", Github.repository))
    github.tokens = {token: Token(**value) for token, value in start.get("tokens", {}).items()}
    for value in start.get("pulls", []):
        github.pulls[value["number"]] = Pull(**value)
    for value in start.get("comments", []):
        github.comment(**value)
    for sha, files in start.get("commits", {}).items():
        github.commits[sha] = {path: _entry(value) for path, value in files.items()}
    for name, head in start.get("branches", {}).items():
        files = {path: text.encode() for path, text in head["files"].items()}
        github.git.commit(name, files, sha=head["sha"])
    github.may_open_pulls = start.get("may_open_pulls", True)
    return github


def _entry(value: str | dict[str, str]) -> bytes | Link:
    if isinstance(value, str):
        return value.encode()
    return Link(value["link"]) if "link" in value else base64.b64decode(value["base64"])


def main() -> None:
    """Serve until ended by a signal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--start", type=Path, help="JSON of what there is at the beginning")
    parser.add_argument("--state", type=Path, help="file to keep the state in")
    parser.add_argument("--page-size", type=int, default=100)
    options = parser.parse_args()
    start = json.loads(options.start.read_text("utf-8")) if options.start else {}
    github = from_start(start)
    github.page_size = options.page_size
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended = threading.Event()
    with Server(github, options.host, options.port, options.state) as server:
        sys.stdout.write(json.dumps({"url": server.url, "port": server.port}) + "\n")
        sys.stdout.flush()
        ended.wait()


if __name__ == "__main__":
    main()
