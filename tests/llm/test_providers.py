"""Requests and replies of each provider, without a network."""

import json
from typing import Any

import pytest
from prompting import KEY, make_settings

from ragproof.llm.providers import INTERFACES
from ragproof.llm.providers.wire import Finish, Reply, ReportedError, ShapeError
from ragproof.llm.settings import ModelSettings, Provider

BASES = {
    Provider.OPENAI: "http://host:8000/v1",
    Provider.ANTHROPIC: "https://api.anthropic.com",
    Provider.OLLAMA: "http://localhost:11434",
    Provider.OPENROUTER: "https://openrouter.ai/api/v1",
    Provider.AZURE: "https://name.openai.azure.com",
}


def settings_of(provider: Provider, **fields: Any) -> ModelSettings:
    usual: dict[str, Any] = {"provider": provider, "model": "m", "key": KEY, "seed": 7}
    return make_settings(fields.pop("url", BASES[provider]), **{**usual, **fields})


def build(provider: Provider, prompt: str = "why?", **fields: Any) -> Any:
    settings = settings_of(provider, **fields)
    interface = INTERFACES[provider]
    return interface.build(settings, interface.dialect(settings), prompt)


def test_every_provider_has_an_interface() -> None:
    assert set(INTERFACES) == set(Provider)


def test_chat_completions() -> None:
    call = build(Provider.OPENAI)
    assert call.url == "http://host:8000/v1/chat/completions"
    assert call.headers == {"Authorization": f"Bearer {KEY}"}
    assert call.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "why?"}],
        "max_tokens": 100,
        "temperature": 0.0,
        "seed": 7,
    }


def test_openai_itself_takes_the_new_name_of_the_limit() -> None:
    body = build(Provider.OPENAI, url="https://api.openai.com/v1").body
    assert body["max_completion_tokens"] == 100
    assert "max_tokens" not in body


def test_what_is_unset_is_left_out() -> None:
    call = build(Provider.OPENAI, key=None, seed=None, temperature=None)
    assert call.headers == {}
    assert not {"seed", "temperature"} & set(call.body)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h/api/openai/", "http://h/api/openai/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
    ],
)
def test_the_base_may_end_anywhere(base: str, url: str) -> None:
    assert build(Provider.OPENAI, url=base).url == url


def test_anthropic() -> None:
    call = build(Provider.ANTHROPIC, temperature=1.5)
    assert call.url == "https://api.anthropic.com/v1/messages"
    assert call.headers["x-api-key"] == KEY
    assert call.headers["anthropic-version"]
    assert call.body["max_tokens"] == 100
    assert call.body["temperature"] == 1.0
    assert "seed" not in call.body


def test_ollama_is_given_room_for_the_prompt() -> None:
    short = build(Provider.OLLAMA, url="http://h:11434/v1")
    assert short.url == "http://h:11434/api/chat"
    assert short.body["stream"] is False
    options = short.body["options"]
    assert options == {"num_predict": 100, "num_ctx": 8192, "temperature": 0.0, "seed": 7}
    assert build(Provider.OLLAMA, "word " * 20_000).body["options"]["num_ctx"] == 32_768


def test_openrouter() -> None:
    call = build(Provider.OPENROUTER, model="meta/llama")
    assert call.url == "https://openrouter.ai/api/v1/chat/completions"
    assert call.body["model"] == "meta/llama"


def test_azure() -> None:
    call = build(Provider.AZURE, model="my one", api_version="2030-01-01")
    assert call.url == (
        "https://name.openai.azure.com/openai/deployments/my%20one/chat/completions"
        "?api-version=2030-01-01"
    )
    assert call.headers == {"api-key": KEY}
    assert "model" not in call.body
    newer = build(Provider.AZURE, url="https://name.openai.azure.com/openai/v1/")
    assert newer.url == "https://name.openai.azure.com/openai/v1/chat/completions"
    assert newer.body["model"] == "m"


def chat(message: Any = None, finish: Any = "stop", **more: Any) -> Any:
    message = {"role": "assistant", "content": "yes"} if message is None else message
    return {"choices": [{"message": message, "finish_reason": finish}], **more}


READ: list[tuple[Provider, Any, Reply]] = [
    (Provider.OPENAI, chat(), Reply("yes")),
    (Provider.OPENAI, chat(finish=None), Reply("yes")),
    (Provider.OPENAI, chat(finish="length"), Reply("yes", Finish.LENGTH)),
    (Provider.OPENAI, chat(finish="MAX_TOKENS"), Reply("yes", Finish.LENGTH)),
    (Provider.OPENAI, chat(finish="model_length"), Reply("yes", Finish.LENGTH)),
    (
        Provider.OPENAI,
        chat(finish="content_filter"),
        Reply("yes", Finish.REFUSED, detail="content_filter"),
    ),
    (
        Provider.OPENAI,
        chat({"content": None, "refusal": "I cannot"}),
        Reply("", Finish.REFUSED, detail="refusal"),
    ),
    (Provider.OPENAI, chat({"content": None}), Reply("")),
    (
        Provider.OPENAI,
        chat({"content": [{"type": "thinking"}, {"type": "text", "text": "y"}, "es"]}),
        Reply("yes"),
    ),
    (
        Provider.OPENAI,
        chat(usage={"prompt_tokens": 3, "completion_tokens": 4}),
        Reply("yes", tokens_in=3, tokens_out=4),
    ),
    (
        Provider.OPENAI,
        chat(usage={"prompt_tokens": -3, "completion_tokens": True}),
        Reply("yes"),
    ),
    (Provider.OPENAI, chat(usage="none"), Reply("yes")),
    (
        Provider.ANTHROPIC,
        {
            "content": [{"type": "thinking"}, {"type": "text", "text": "yes"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 4},
        },
        Reply("yes", tokens_in=5, tokens_out=4),
    ),
    (
        Provider.ANTHROPIC,
        {"content": [{"type": "text", "text": "ye"}], "stop_reason": "max_tokens"},
        Reply("ye", Finish.LENGTH),
    ),
    (
        Provider.ANTHROPIC,
        {"content": [], "stop_reason": "refusal"},
        Reply("", Finish.REFUSED, detail="refusal"),
    ),
    (
        Provider.OLLAMA,
        {
            "message": {"content": "yes"},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 3,
            "eval_count": 4,
        },
        Reply("yes", tokens_in=3, tokens_out=4),
    ),
    (
        Provider.OLLAMA,
        {"message": {"content": "ye"}, "done": True, "done_reason": "length"},
        Reply("ye", Finish.LENGTH),
    ),
]


@pytest.mark.parametrize(("provider", "body", "reply"), READ)
def test_replies_are_read(provider: Provider, body: Any, reply: Reply) -> None:
    assert INTERFACES[provider].read(body) == reply


@pytest.mark.parametrize("provider", list(Provider))
@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "text",
        {},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{}]},
        {"choices": [{"message": {"content": 3}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": None}]}}]},
        {"content": "text"},
        {"content": [None]},
        {"content": [{"type": "text"}]},
        {"message": {"content": None}},
        {"message": {"content": "a"}, "done": False},
    ],
)
def test_other_shapes_are_no_replies(provider: Provider, body: Any) -> None:
    if provider is Provider.ANTHROPIC and body == {}:
        body = {"content": None}
    with pytest.raises(ShapeError):
        INTERFACES[provider].read(body)


@pytest.mark.parametrize(
    ("provider", "body", "status"),
    [
        (Provider.OPENAI, {"error": {"code": 502, "message": "upstream"}}, 502),
        (Provider.OPENAI, {"error": {"code": "429", "message": "slow"}}, 429),
        (Provider.OPENAI, {"error": "broken"}, 400),
        (Provider.OPENAI, {"choices": [{"error": {"code": 503}}]}, 503),
        (Provider.OPENAI, chat(finish="error"), 502),
        (Provider.ANTHROPIC, {"type": "error", "error": {"type": "x"}}, 400),
        (Provider.OLLAMA, {"error": "runner ended"}, 500),
    ],
)
def test_errors_that_come_as_successes_are_told_apart(
    provider: Provider, body: Any, status: int
) -> None:
    with pytest.raises(ReportedError) as caught:
        INTERFACES[provider].read(body)
    assert caught.value.status == status


@pytest.mark.parametrize("provider", list(Provider))
def test_prompts_with_halves_of_surrogate_pairs_can_be_sent(provider: Provider) -> None:
    assert json.dumps(build(provider, "\ud800").body).encode()
