"""Chat completions, as OpenAI has them and most servers of models understand."""

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
from ragproof.llm.settings import DEFAULT_URLS, ModelSettings, Provider

_CUT = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTERED = frozenset(
    {"content_filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content"}
)


def dialect(settings: ModelSettings) -> Dialect:
    """OpenAI itself takes the new name of the limit for all its models; others may not know it."""
    own = settings.base_url == DEFAULT_URLS[Provider.OPENAI]
    return Dialect(limit="max_completion_tokens" if own else "max_tokens")


def body(settings: ModelSettings, dialect: Dialect, prompt: str) -> dict[str, Any]:
    """What is sent, but for the model's name."""
    made: dict[str, Any] = {
        "messages": [{"role": "user", "content": prompt}],
        dialect.limit: settings.max_tokens,
    }
    if settings.temperature is not None and dialect.temperature:
        made["temperature"] = settings.temperature
    if settings.seed is not None and dialect.seed:
        made["seed"] = settings.seed
    return made


def build(settings: ModelSettings, dialect: Dialect, prompt: str) -> Call:
    """The request for one prompt."""
    headers = {} if settings.key is None else {"Authorization": f"Bearer {settings.key}"}
    url = under(settings.base_url, "v1", "chat/completions")
    return Call(url, headers, {"model": settings.model, **body(settings, dialect, prompt)})


def read(value: Any) -> Reply:
    """The reply in a body.

    Raises:
        ShapeError: it is none.
        ReportedError: it is an error with the status of a success.
    """
    top = mapping(value, "the response")
    if top.get("error"):
        raise ReportedError(_status(top["error"]))
    choices = top.get("choices")
    if not isinstance(choices, list) or not choices:
        raise ShapeError("the response has no choices")
    choice = mapping(choices[0], "the first choice")
    if choice.get("error"):
        raise ReportedError(_status(choice["error"]))
    message = mapping(choice.get("message"), "the message")
    usage = top.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    finish, detail = _finish(choice, message)
    return Reply(
        _text(message.get("content")),
        finish,
        count(usage.get("prompt_tokens")),
        count(usage.get("completion_tokens")),
        detail,
    )


def _finish(choice: dict[str, Any], message: dict[str, Any]) -> tuple[Finish, str]:
    reason = str(choice.get("finish_reason") or "").lower()
    if reason in _FILTERED:
        return Finish.REFUSED, reason
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return Finish.REFUSED, "refusal"
    if reason == "error":
        raise ReportedError(502)
    return (Finish.LENGTH if reason in _CUT else Finish.STOP), ""


def _text(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ShapeError("the message's content is no text")
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") == "text":
            text = part.get("text")
            if not isinstance(text, str):
                raise ShapeError("a part of the message is no text")
            texts.append(text)
    return "".join(texts)


def _status(error: Any) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:3])
    return code if isinstance(code, int) and 400 <= code < 600 else 400


INTERFACE = Interface(dialect, build, read)
