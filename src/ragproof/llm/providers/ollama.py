"""Ollama's own chat, which unlike its OpenAI-compatible one can be told how long a context is.

By default it cuts prompts that are longer than a few thousand tokens, and does not say so.
"""

from typing import Any

from ragproof.llm.providers.wire import (
    Call,
    Dialect,
    Finish,
    Interface,
    Reply,
    ReportedError,
    ShapeError,
    count,
    mapping,
)
from ragproof.llm.settings import ModelSettings
from ragproof.llm.tokens import estimate_tokens

_SMALLEST_CONTEXT = 8192


def dialect(settings: ModelSettings) -> Dialect:
    """There is one."""
    return Dialect()


def build(settings: ModelSettings, dialect: Dialect, prompt: str) -> Call:
    """The request for one prompt."""
    options: dict[str, Any] = {
        "num_predict": settings.max_tokens,
        "num_ctx": _context(estimate_tokens(prompt) + settings.max_tokens),
    }
    if settings.temperature is not None:
        options["temperature"] = settings.temperature
    if settings.seed is not None:
        options["seed"] = settings.seed
    headers = {} if settings.key is None else {"Authorization": f"Bearer {settings.key}"}
    base = settings.base_url.rstrip("/").removesuffix("/v1").removesuffix("/api")
    body = {
        "model": settings.model,
        "messages": [{"role": "user", "content": prompt}],
        "stream": False,
        "options": options,
    }
    return Call(f"{base}/api/chat", headers, body)


def read(value: Any) -> Reply:
    """The reply in a body.

    Raises:
        ShapeError: it is none.
        ReportedError: it is an error with the status of a success.
    """
    top = mapping(value, "the response")
    if top.get("error"):
        raise ReportedError(500)
    text = mapping(top.get("message"), "the message").get("content")
    if not isinstance(text, str):
        raise ShapeError("the message's content is no text")
    finish = Finish.LENGTH if top.get("done_reason") == "length" else Finish.STOP
    if top.get("done") is False:
        raise ShapeError("the response is a part of a stream")
    return Reply(text, finish, count(top.get("prompt_eval_count")), count(top.get("eval_count")))


def _context(tokens: int) -> int:
    """Room for so many tokens, in steps: each change of it makes Ollama load the model anew."""
    room = _SMALLEST_CONTEXT
    while room < tokens * 1.25:
        room *= 2
    return room


INTERFACE = Interface(dialect, build, read)
