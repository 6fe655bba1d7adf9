"""What a provider means when it answers with an error: try again, give up, or ask otherwise."""

import re
from enum import StrEnum
from typing import Any, NamedTuple

from ragproof.llm.providers.wire import Dialect


class Meaning(StrEnum):
    """What an error means for the calls to come."""

    RETRY = "retry"
    """The same request may succeed later."""
    FATAL = "fatal"
    """No request can succeed."""
    REFUSED = "refused"
    """The content of this prompt is not wanted."""
    TOO_LONG = "too_long"
    """This prompt is longer than the model's context."""
    REJECTED = "rejected"
    """This request is wrong; others may not be."""


class Rejection(NamedTuple):
    """An error as a provider reports it. ``message`` is the provider's own, one line."""

    status: int
    meaning: Meaning
    message: str
    code: str = ""


RETRIED = frozenset({408, 425, 429, *range(500, 600)})

_FILTERED = re.compile(r"content_(?:filter|policy)|content management policy|moderation|flagged")
_TOO_LONG = re.compile(
    r"context_length|context length|context size|context window|maximum context"
    r"|prompt is too long|too many (?:input )?tokens|too large for (?:the )?model"
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient credit|insufficient balance|credit balance|billing_hard_limit"
    r"|exceeded your current quota"
)
_NOT_KNOWN = re.compile(
    r"unsupported|unrecognized|not support|unknown|extra|deprecated|unexpected|not permitted"
)
_NO_KEY = re.compile(r"invalid[_ ]api[_ ]key|api[_ ]key (?:is )?(?:not valid|invalid|missing)")
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|unknown model|no such model|invalid[_ ]model"
    r"|model\b.{0,80}(?:does not exist|not found|not exist|is not available)"
)


def read_rejection(status: int, body: Any) -> Rejection:
    """What an error response means, by its status and its parsed body (``None`` if no JSON)."""
    message, code = _said(body)
    return Rejection(status, _meaning(status, f"{code} {message}".lower()), message, code)


def _meaning(status: int, said: str) -> Meaning:
    if _NO_CREDIT.search(said) or status in (401, 402):
        return Meaning.FATAL
    if status in (400, 403, 422, 451, 500) and _FILTERED.search(said):
        return Meaning.REFUSED
    if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
        return Meaning.TOO_LONG
    if status in RETRIED:
        return Meaning.RETRY
    if status in (403, 404, 405, 410) or status < 400:
        return Meaning.FATAL
    if _NO_KEY.search(said) or _NO_MODEL.search(said):
        return Meaning.FATAL
    return Meaning.REJECTED


def _said(body: Any) -> tuple[str, str]:
    """The message and the code of an error, wherever providers put them."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return "", ""
    choices = body.get("choices")
    error = body.get("error")
    if not error and isinstance(choices, list) and choices and isinstance(choices[0], dict):
        error = choices[0].get("error")
    error = error or body
    if isinstance(error, str):
        return _line(error), ""
    if not isinstance(error, dict):
        return "", ""
    message = next(
        (
            error[name]
            for name in ("message", "detail", "error")
            if isinstance(error.get(name), str)
        ),
        "",
    )
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), error.get("param")]
    codes += [inner.get("code")] if isinstance(inner, dict) else []
    return _line(message), " ".join(code for code in codes if isinstance(code, str))[:200]


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def adapted(dialect: Dialect, rejection: Rejection) -> Dialect | None:
    """The dialect that a server asks for by what it rejects; ``None`` if it asks for none.

    Models that reason take another name of the limit, and no temperature; some servers know
    no seed.
    """
    if rejection.status not in (400, 422):
        return None
    said = f"{rejection.code} {rejection.message}".lower()
    if not _NOT_KNOWN.search(said):
        return None
    new = dialect
    if "max_completion_tokens" in said or "max_tokens" in said:
        # Only one of the two names was sent, so that one is rejected.
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        new = dialect._replace(limit=other[dialect.limit])
    elif "temperature" in said:
        new = dialect._replace(temperature=False)
    elif "seed" in said:
        new = dialect._replace(seed=False)
    return None if new == dialect else new
