"""A server on loopback that answers as OpenViking does, and fails as it is told to."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

ROOT = "viking://resources/docs"


class Asked(NamedTuple):
    """A request: the end of its path, its values, its key, and its target as it was sent."""

    what: str
    values: dict[str, str]
    key: str | None
    target: str


class Answer(NamedTuple):
    """A response; ``length`` is announced in place of the true one, ``gap_s`` passes between
    any two bytes."""

    status: int
    body: bytes
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    length: int | None = None
    gap_s: float = 0.0


Fault = Callable[[Asked], Answer | None]
"""What is answered instead of the right thing, if anything."""


class Viking:
    """Files by their path below :data:`ROOT`. ``page`` entries at most are listed at once, by
    versions that have pages (``pages``); those without cut at ``node_limit``."""

    def __init__(self, files: dict[str, str | bytes], *, pages: bool = True) -> None:
        self.files = files
        self.pages = pages
        self.page = 1_000_000
        self.key: str | None = None
        self.entries: list[Any] | None = None
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.url = ""

    def read(self) -> list[str]:
        """Addresses of the files that were asked for."""
        return [one.values["uri"] for one in self.asked if one.what.startswith("content/")]

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        for fault in self.faults:
            if (wrong := fault(asked)) is not None:
                return wrong
        if self.key and asked.key != self.key:
            return failed(401, "UNAUTHENTICATED", f"Invalid API Key {asked.key}")
        uri = asked.values["uri"]
        path = uri.removeprefix(ROOT).removeprefix("/")
        if asked.what == "fs/tree":
            if path in self.files:
                return failed(400, "INVALID_ARGUMENT", f"not a directory: {path}")
            return self._tree(path, asked.values) if uri.startswith(ROOT) else missing(uri)
        if path not in self.files:
            return missing(uri)
        content = self.files[path]
        if asked.what == "content/download":
            return Answer(200, content if isinstance(content, bytes) else content.encode())
        assert isinstance(content, str)
        return ok(content)

    def _tree(self, path: str, values: dict[str, str]) -> Answer:
        assert values["output"] == "original"
        entries = self._entries(path) if self.entries is None else self.entries
        levels = int(values["level_limit"])
        entries = [
            one
            for one in entries
            if not isinstance(one, dict) or str(one.get("rel_path")).count("/") < levels
        ]
        limit = int(values["node_limit"])
        if not self.pages:
            return ok(entries[:limit])
        start, count = int(values.get("offset", "0")), min(limit, self.page)
        return ok(entries[start : start + count], has_more=start + count < len(entries))

    def _entries(self, path: str) -> list[Any]:
        found = {}
        for name, content in self.files.items():
            if path and not name.startswith(f"{path}/"):
                continue
            parts = name.removeprefix(f"{path}/" if path else "").split("/")
            for depth in range(1, len(parts)):
                folder = "/".join(parts[:depth])
                found[folder] = entry(folder, 4096, folder=True, below=path)
            size = len(content.encode() if isinstance(content, str) else content)
            found["/".join(parts)] = entry("/".join(parts), size, below=path)
        return list(found.values())


def entry(path: str, size: int = 1, *, folder: bool = False, below: str = "") -> dict[str, Any]:
    """An item of a listing."""
    root = f"{ROOT}/{below}" if below else ROOT
    return {
        "name": path.rpartition("/")[2],
        "size": size,
        "mode": 420,
        "modTime": "2026-12-01T03:51:41Z",
        "isDir": folder,
        "rel_path": path,
        "uri": f"{root}/{path}",
    }


def ok(result: Any, **more: Any) -> Answer:
    return reply(200, {"status": "ok", "result": result, "error": None, **more})


def failed(status: int, code: str, message: str, **headers: str) -> Answer:
    error = {"code": code, "message": message, "details": {}}
    return reply(status, {"status": "error", "result": None, "error": error}, **headers)


def missing(uri: str) -> Answer:
    return failed(404, "NOT_FOUND", f"File not found: {uri}")


def reply(status: int, value: Any, **headers: str) -> Answer:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(status, json.dumps(value).encode(), named)


@contextmanager
def serving(viking: Viking) -> Iterator[Viking]:
    """Answer on a port of loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            values = {name: one[0] for name, one in parse_qs(parts.query).items()}
            what = parts.path.removeprefix("/api/v1/")
            answer = viking.answer(Asked(what, values, self.headers.get("X-API-Key"), self.path))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            length = len(answer.body) if answer.length is None else answer.length
            self.send_header("Content-Length", str(length))
            self.end_headers()
            try:
                self._send(answer)
            except OSError:
                self.close_connection = True
            if length != len(answer.body):
                self.close_connection = True

        def _send(self, answer: Answer) -> None:
            if not answer.gap_s:
                self.wfile.write(answer.body)
                return
            for byte in answer.body:
                self.wfile.write(bytes([byte]))
                time.sleep(answer.gap_s)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Callers that hang up are what is tested."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        viking.url = f"http://127.0.0.1:{server.server_port}"
        yield viking
        server.shutdown()
        thread.join()
