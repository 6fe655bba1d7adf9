"""What errors of providers mean. The bodies are of the shapes that providers document."""

from typing import Any

import pytest

from ragproof.llm.providers.wire import Dialect
from ragproof.llm.rejections import Meaning, adapted, read_rejection


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> Any:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


@pytest.mark.parametrize(
    ("status", "body", "meaning"),
    [
        (401, openai("Incorrect API key provided", "invalid_api_key"), Meaning.FATAL),
        (401, None, Meaning.FATAL),
        (402, {"error": {"code": 402, "message": "Insufficient credits"}}, Meaning.FATAL),
        (403, {"type": "error", "error": {"type": "permission_error"}}, Meaning.FATAL),
        (404, openai("The model `x` does not exist", "model_not_found"), Meaning.FATAL),
        (404, {"error": "model 'x' not found, try pulling it first"}, Meaning.FATAL),
        (302, None, Meaning.FATAL),
        (400, {"error": {"code": 400, "message": "x is not a valid model ID"}}, Meaning.FATAL),
        (400, [{"error": {"message": "API key not valid. Please pass one."}}], Meaning.FATAL),
        (
            400,
            {"type": "error", "error": {"message": "Your credit balance is too low"}},
            Meaning.FATAL,
        ),
        (429, openai("You exceeded your current quota", "insufficient_quota"), Meaning.FATAL),
        (429, openai("Rate limit reached", "rate_limit_exceeded"), Meaning.RETRY),
        (408, None, Meaning.RETRY),
        (425, None, Meaning.RETRY),
        (500, None, Meaning.RETRY),
        (503, {"error": "loading model"}, Meaning.RETRY),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, Meaning.RETRY),
        (400, openai("The response was filtered", "content_filter"), Meaning.REFUSED),
        (
            400,
            openai("The prompt triggered the content management policy"),
            Meaning.REFUSED,
        ),
        (
            403,
            {"error": {"code": 403, "message": "Your input was flagged"}},
            Meaning.REFUSED,
        ),
        (
            400,
            openai("This model's maximum context length is 8 tokens", "context_length_exceeded"),
            Meaning.TOO_LONG,
        ),
        (
            400,
            {"type": "error", "error": {"message": "prompt is too long: 9 tokens > 8 maximum"}},
            Meaning.TOO_LONG,
        ),
        (400, openai("messages: must not be empty"), Meaning.REJECTED),
        (422, {"detail": [{"msg": "field required"}]}, Meaning.REJECTED),
        (413, None, Meaning.REJECTED),
    ],
)
def test_meanings(status: int, body: Any, meaning: Meaning) -> None:
    assert read_rejection(status, body).meaning is meaning


@pytest.mark.parametrize("body", [None, [], {}, {"error": []}, {"error": {"message": 3}}, "x", 1])
def test_any_body_is_read(body: Any) -> None:
    assert read_rejection(500, body).message == ""


OLD, NEW = Dialect(), Dialect(limit="max_completion_tokens")


@pytest.mark.parametrize(
    ("spoken", "message", "wanted"),
    [
        (
            OLD,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            NEW,
        ),
        (NEW, "Unrecognized request argument supplied: max_completion_tokens", OLD),
        (
            OLD,
            "Unsupported value: 'temperature' does not support 0 with this model.",
            Dialect(temperature=False),
        ),
        (OLD, "seed: Extra inputs are not permitted", Dialect(seed=False)),
        (OLD, "max_tokens is too large: 9. This model supports at most 8", None),
        (OLD, "Unsupported value: 'messages'", None),
        (Dialect(temperature=False), "temperature is not supported", None),
    ],
)
def test_dialects_are_learnt(spoken: Dialect, message: str, wanted: Dialect | None) -> None:
    assert adapted(spoken, read_rejection(400, openai(message))) == wanted
    assert adapted(spoken, read_rejection(500, openai(message))) is None
