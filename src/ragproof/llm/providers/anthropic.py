"""Anthropic's messages."""

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
    under,
)
from ragproof.llm.settings import ModelSettings

_VERSION = "2023-06-01"
_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn"})
_CACHED = ("cache_creation_input_tokens", "cache_read_input_tokens")


def dialect(settings: ModelSettings) -> Dialect:
    """It knows no seed."""
    return Dialect(seed=False)


def build(settings: ModelSettings, dialect: Dialect, prompt: str) -> Call:
    """The request for one prompt."""
    headers = {"anthropic-version": _VERSION}
    if settings.key is not None:
        headers["x-api-key"] = settings.key
    body: dict[str, Any] = {
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "messages": [{"role": "user", "content": prompt}],
    }
    if settings.temperature is not None and dialect.temperature:
        body["temperature"] = min(settings.temperature, 1.0)  # its scale ends there
    return Call(under(settings.base_url, "v1", "messages"), headers, body)


def read(value: Any) -> Reply:
    """The reply in a body.

    Raises:
        ShapeError: it is none.
        ReportedError: it is an error with the status of a success.
    """
    top = mapping(value, "the response")
    if top.get("type") == "error":
        raise ReportedError(400)
    blocks = top.get("content")
    if not isinstance(blocks, list):
        raise ShapeError("the response has no list of content")
    texts = []
    for block in blocks:
        if mapping(block, "a block of the content").get("type") == "text":
            if not isinstance(block.get("text"), str):
                raise ShapeError("a block of text has no text")
            texts.append(block["text"])
    reason = top.get("stop_reason")
    finish = Finish.STOP
    if reason in _CUT:
        finish = Finish.LENGTH
    elif reason == "refusal":
        finish = Finish.REFUSED
    tokens_in, tokens_out = _tokens(top.get("usage"))
    detail = "refusal" if finish is Finish.REFUSED else ""
    return Reply("".join(texts), finish, tokens_in, tokens_out, detail)


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    if not isinstance(usage, dict):
        return None, None
    tokens_in = count(usage.get("input_tokens"))
    if tokens_in is not None:
        tokens_in += sum(count(usage.get(name)) or 0 for name in _CACHED)
    return tokens_in, count(usage.get("output_tokens"))


INTERFACE = Interface(dialect, build, read)
