"""A server that speaks like a language model's and says, and does, what a script tells it.

As a program: ``python tests/llm/scripted.py --port 0 --script FILE`` prints one line,
``{"url": "http://127.0.0.1:PORT/v1"}``, and serves until it is ended. It answers chat
completions (OpenAI, OpenRouter, Azure), messages (Anthropic) and chats (Ollama), each at its
usual path, and at ``GET /requests`` tells what it was asked, without keys.

A script is JSON (or, as a file that ends in ``.py``, a module with ``answer(prompt, count)``,
which gives a step; ``count`` is the how manieth time this prompt comes, from 1)::

    {"key": "needed key", "model": "only model", "latency": 0.1,
     "rules": [{"match": "regular expression found in the prompt", "steps": [STEP, ...]}],
     "steps": [STEP, ...]}

The first rule that matches decides; of its steps each prompt gets the first when it comes for
the first time, and so on, and the last from then on. ``steps`` are those of other prompts. A
step is a reply's text, or an object with some of

* ``text``, or ``json``: what the model says; ``{prompt}`` in a text is replaced by the prompt;
* ``finish``: ``stop`` (the default), ``length`` or ``refused``, in the provider's own words;
* ``usage``: false leaves the tokens out;
* ``status``: an HTTP status, with ``retry_after`` (seconds, or ``"date"`` for one in 1 s);
* ``code`` and ``message`` of that error;
* ``body``: any JSON as the whole body, or a text as its bytes;
* ``latency``: seconds before it answers;
* ``fault``: ``cut`` (ends within the body), ``reset``, ``hang``, ``drip``.
"""

import argparse
import contextlib
import json
import re
import runpy
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

Step = str | dict[str, Any]
Answer = Callable[[str, int], Step]
"""From a prompt, and the how manieth time it comes, to what is done about it."""

_FINISHES: dict[str, dict[str, Any]] = {
    "openai": {"stop": "stop", "length": "length", "refused": "content_filter"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"},
    "ollama": {"stop": "stop", "length": "length", "refused": "stop"},
}


class Asked(NamedTuple):
    """A request as it came. ``key`` is what it brought as a key, of whichever header."""

    path: str
    model: str
    prompt: str
    body: dict[str, Any]
    key: str


class Script(NamedTuple):
    """What the server does. ``key`` and ``model`` are needed, where they are given."""

    answer: Answer
    key: str = ""
    model: str = ""
    latency: float = 0.0


def script_of(value: Mapping[str, Any]) -> Script:
    """The script that a parsed file describes."""
    rules = [(re.compile(rule["match"]), rule["steps"]) for rule in value.get("rules", [])]
    others = value.get("steps", ["{}"])

    def answer(prompt: str, count: int) -> Step:
        steps = next((steps for match, steps in rules if match.search(prompt)), others)
        step: Step = steps[min(count, len(steps)) - 1]
        return step

    return Script(
        answer, value.get("key", ""), value.get("model", ""), float(value.get("latency", 0))
    )


def saying(*steps: Step, **settings: Any) -> Script:
    """A script that answers every prompt by these steps in turn."""
    return script_of({"steps": list(steps), **settings})


class ScriptedServer(ThreadingHTTPServer):
    """Serves a script. ``requests`` are all that came; ``most`` is how many were in at once."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, script: Script, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__((host, port), _Handler)
        self.script = script
        self.requests: list[Asked] = []
        self.most = 0
        self.ending = threading.Event()
        self._inside = 0
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        name = "127.0.0.1" if host in ("", "0.0.0.0") else host
        self.url = f"http://{name}:{self.server_port}/v1"

    def enter(self, asked: Asked) -> int:
        """Note a request; return the how manieth it is of its prompt."""
        with self._lock:
            self.requests.append(asked)
            self._inside += 1
            self.most = max(self.most, self._inside)
            count = self._counts.get(asked.prompt, 0) + 1
            self._counts[asked.prompt] = count
            return count

    def leave(self) -> None:
        """Note that a request was answered."""
        with self._lock:
            self._inside -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Those who hang up are part of the play; all else is an error of the script."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def do_GET(self) -> None:
        if self.path.endswith("/models"):
            model = self.server.script.model or "scripted"
            return self._send(200, {"object": "list", "data": [{"id": model, "object": "model"}]})
        if self.path == "/requests":
            keys = ("path", "model", "prompt", "body")
            found = [{key: getattr(one, key) for key in keys} for one in self.server.requests]
            return self._send(200, {"requests": found, "most": self.server.most})
        return self._send(404, {"error": {"message": f"nothing at {self.path}"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        path = self.path.partition("?")[0]
        style = _style(path)
        deployment = re.search(r"/deployments/([^/]+)/", path)
        model = deployment[1] if deployment else str(body.get("model", ""))
        asked = Asked(self.path, model, _prompt(body), body, self._key())
        script = self.server.script
        count = self.server.enter(asked)
        try:
            if not style:
                return self._send(404, {"error": {"message": f"nothing at {path}"}})
            if script.key and asked.key != script.key:
                # Real providers say part of the key that they were given.
                message = f"Incorrect API key provided: {asked.key}"
                return self._error(style, 401, "invalid_api_key", message)
            if script.model and model != script.model:
                message = f"The model `{model}` does not exist"
                return self._error(style, 404, "model_not_found", message)
            return self._play(style, asked, script.answer(asked.prompt, count))
        finally:
            self.server.leave()

    def log_message(self, *_: object) -> None:
        pass

    def _key(self) -> str:
        bearer: str = self.headers.get("Authorization", "")
        other: str = self.headers.get("x-api-key") or self.headers.get("api-key") or ""
        return bearer.removeprefix("Bearer ") or other

    def _play(self, style: str, asked: Asked, step: Step) -> None:
        script = self.server.script
        step = {"text": step} if isinstance(step, str) else step
        if self.server.ending.wait(float(step.get("latency", script.latency))):
            return
        status, headers = int(step.get("status", 200)), {}
        if "retry_after" in step:
            after = step["retry_after"]
            headers["Retry-After"] = (
                formatdate(time.time() + 1, usegmt=True) if after == "date" else str(after)
            )
        if "body" in step:
            body = step["body"]
        elif status != 200:
            code = step.get("code", "scripted_error")
            body = _error_body(style, code, step.get("message", f"scripted status {status}"))
        else:
            body = _reply_body(style, asked, step)
        self._send(status, body, headers, step.get("fault", ""))

    def _error(self, style: str, status: int, code: str, message: str) -> None:
        self._send(status, _error_body(style, code, message))

    def _send(
        self, status: int, body: Any, headers: Mapping[str, str] | None = None, fault: str = ""
    ) -> None:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        if fault == "hang":
            self.server.ending.wait()
        if fault in ("hang", "reset"):
            self._hang_up()
            return
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        # Head and body in one piece: two would make clients wait for one another's packets.
        head = b"".join(self._headers_buffer) + b"\r\n"  # type: ignore[attr-defined]
        self._headers_buffer = []
        if fault == "cut":
            self.wfile.write(head + raw[: len(raw) // 2])
            self.close_connection = True
        elif fault == "drip":
            self.wfile.write(head)
            for index in range(len(raw)):
                self.wfile.write(raw[index : index + 1])
                if self.server.ending.wait(0.3):
                    return
        else:
            self.wfile.write(head + raw)

    def _hang_up(self) -> None:
        linger = struct.pack("ii", 1, 0)
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True


def _style(path: str) -> str:
    for end, style in (
        ("/chat/completions", "openai"),
        ("/messages", "anthropic"),
        ("/api/chat", "ollama"),
    ):
        if path.endswith(end):
            return style
    return ""


def _prompt(body: Mapping[str, Any]) -> str:
    texts = [message.get("content", "") for message in body.get("messages", [])]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _error_body(style: str, code: str, message: str) -> Any:
    if style == "ollama":
        return {"error": message}
    if style == "anthropic":
        return {"type": "error", "error": {"type": code, "message": message}}
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code}}


def _reply_body(style: str, asked: Asked, step: Mapping[str, Any]) -> Any:
    text = step.get("text", "")
    text = json.dumps(step["json"]) if "json" in step else text.replace("{prompt}", asked.prompt)
    finish = _FINISHES[style][step.get("finish", "stop")]
    tokens = (max(1, len(asked.prompt) // 4), max(1, len(text) // 4))
    counted = step.get("usage", True)
    if style == "anthropic":
        usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
        content = [{"type": "text", "text": text}]
        made = {"type": "message", "role": "assistant", "content": content, "stop_reason": finish}
        return made | ({"usage": usage} if counted else {})
    if style == "ollama":
        usage = {"prompt_eval_count": tokens[0], "eval_count": tokens[1]}
        message = {"role": "assistant", "content": text}
        made = {"model": asked.model, "message": message, "done": True, "done_reason": finish}
        return made | (usage if counted else {})
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": finish,
    }
    made = {"object": "chat.completion", "model": asked.model, "choices": [choice]}
    return made | ({"usage": usage} if counted else {})


@contextlib.contextmanager
def serving(script: Script | Answer, host: str = "127.0.0.1") -> Iterator[ScriptedServer]:
    """A running server, in threads of this process, until the block ends.

    Instead of a script, a function from a prompt and its count to a step does.
    """
    script = script if isinstance(script, Script) else Script(script)
    with ScriptedServer(script, host) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.ending.set()
            server.shutdown()
            thread.join()


def read_script(path: Path) -> Script:
    """The script in a file: JSON, or Python with ``answer`` and perhaps ``settings``."""
    if path.suffix == ".py":
        module = runpy.run_path(str(path))
        return Script(module["answer"], **module.get("settings", {}))
    return script_of(json.loads(path.read_text("utf-8")))


def main() -> None:
    """Serve the script of the command line until ended."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=0, help="port to listen at; 0: any free one")
    parser.add_argument("--script", type=Path, required=True, help="JSON or Python file")
    parser.add_argument("--latency", type=float, help="seconds of each answer")
    options = parser.parse_args()
    script = read_script(options.script)
    if options.latency is not None:
        script = script._replace(latency=options.latency)
    with ScriptedServer(script, options.host, options.port) as server:
        sys.stdout.write(json.dumps({"url": server.url}) + "\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
