"""What the demo service says over HTTP.

``POST /query`` takes ``{"question": "...", "top_k": 5}``; ``GET /health`` tells that it is up.
Whatever it cannot answer gets a status and ``{"error": "..."}``.
"""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from ragproof.demo.answer import Answer, Responder

MAX_BODY = 1_000_000
MAX_TOP_K = 1000
_ROUTES = {"/health": "GET", "/query": "POST"}


class _RefusedError(Exception):
    """A request that gets a status of its own and no answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Query(NamedTuple):
    question: str
    top_k: int


def handler_for(responder: Responder) -> type[BaseHTTPRequestHandler]:
    """The handler class whose questions go to this responder."""
    return type("Handler", (_Handler,), {"responder": responder})


class _Handler(BaseHTTPRequestHandler):
    responder: Responder
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def _serve(self) -> None:
        try:
            status, said = 200, self._reply(self._read_body())
        except _RefusedError as refused:
            status, said = refused.status, {"error": str(refused)}
        payload = json.dumps(said, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(payload)))
        if status == 405:
            self.send_header("Allow", _ROUTES[self._route])
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def __getattr__(self, name: str) -> Any:
        """Every method goes the same way: ``do_GET`` and its like are ``_serve``."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    @property
    def _route(self) -> str:
        return self.path.partition("?")[0]

    def _reply(self, body: bytes) -> dict[str, Any]:
        if self._route not in _ROUTES:
            raise _RefusedError(404, "there is only /query and /health")
        if _ROUTES[self._route] != self.command:
            raise _RefusedError(405, f"{self._route} takes {_ROUTES[self._route]}")
        if self._route == "/health":
            return {"status": "ok"}
        return _as_json(self.responder.ask(*_parse(body)))

    def _read_body(self) -> bytes:
        """The whole body, so that the next request on the connection starts where it should."""
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise _RefusedError(411, "the body needs a Content-Length")
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            self.close_connection = True
            raise _RefusedError(400, "the Content-Length is not a number")
        if int(length) > MAX_BODY:
            self.close_connection = True
            # Closing on a client that still sends would lose it this answer.
            self._skip(min(int(length), 8 * MAX_BODY))
            raise _RefusedError(413, f"the body is over {MAX_BODY} bytes")
        return self.rfile.read(int(length))

    def _skip(self, size: int) -> None:
        while size > 0 and (piece := self.rfile.read(min(size, 65_536))):
            size -= len(piece)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Requests are not logged."""


def _parse(body: bytes) -> _Query:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise _RefusedError(400, "the body is not JSON") from None
    if not isinstance(data, dict):
        raise _RefusedError(400, "the body is not a JSON object")
    question, top_k = data.get("question"), data.get("top_k", 5)
    if not isinstance(question, str) or not question.strip():
        raise _RefusedError(400, "question is missing, empty or no string")
    if type(top_k) is not int or not 1 <= top_k <= MAX_TOP_K:
        raise _RefusedError(400, f"top_k is no whole number from 1 to {MAX_TOP_K}")
    return _Query(question, top_k)


def _as_json(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "citations": list(answer.citations),
        "chunks": [
            {
                "id": chunk.id,
                "text": chunk.text,
                "score": score,
                "metadata": {"document_id": chunk.document_id},
            }
            for chunk, score in answer.hits
        ],
    }
