"""Settings of models, as variables give them."""

from typing import Any

import pytest

from ragproof.errors import ConfigError, ExitCode
from ragproof.llm.environment import VARIABLES, read_model_settings
from ragproof.llm.settings import ModelSettings, Provider

KEY = "sk-0123456789"


def read(prefix: str = "RAGPROOF_GEN", **variables: str) -> ModelSettings:
    return read_model_settings(
        {f"{prefix}_{name}": value for name, value in variables.items()}, prefix
    )


@pytest.mark.parametrize(
    ("model", "base_url", "provider", "name", "asked_at"),
    [
        ("gpt-4.1-mini", None, Provider.OPENAI, "gpt-4.1-mini", "https://api.openai.com/v1"),
        ("openai/gpt-4.1", None, Provider.OPENAI, "gpt-4.1", "https://api.openai.com/v1"),
        ("anthropic/claude-x", None, Provider.ANTHROPIC, "claude-x", "https://api.anthropic.com"),
        ("ollama/llama3:8b", None, Provider.OLLAMA, "llama3:8b", "http://localhost:11434"),
        ("ollama/hf.co/a/b", "http://gpu:1/", Provider.OLLAMA, "hf.co/a/b", "http://gpu:1"),
        (
            "openrouter/meta/llama",
            None,
            Provider.OPENROUTER,
            "meta/llama",
            "https://openrouter.ai/api/v1",
        ),
        ("azure/mine", "https://n.example", Provider.AZURE, "mine", "https://n.example"),
        ("meta-llama/L", "http://h:8000/v1", Provider.OPENAI, "meta-llama/L", "http://h:8000/v1"),
        ("openai/openai/oss", "http://h/v1", Provider.OPENAI, "openai/oss", "http://h/v1"),
    ],
)
def test_what_a_model_is_called_says_who_is_asked_and_where(
    model: str, base_url: str | None, provider: Provider, name: str, asked_at: str
) -> None:
    more = {} if base_url is None else {"BASE_URL": base_url}
    settings = read(MODEL=model, API_KEY=KEY, **more)
    assert (settings.provider, settings.model, settings.base_url) == (provider, name, asked_at)
    assert settings.key == KEY


def test_temperature_is_zero_and_the_seed_left_out_unless_set() -> None:
    settings = read(MODEL="m", API_KEY=KEY)
    assert (settings.temperature, settings.seed) == (0.0, None)
    assert read(MODEL="m", API_KEY=KEY, TEMPERATURE="none").temperature is None


def test_numbers_are_read() -> None:
    values = {
        "CONCURRENCY": "16",
        "RATE_LIMIT": "2.5",
        "TIMEOUT": "30",
        "MAX_TOKENS": "500",
        "TEMPERATURE": "0.7",
        "SEED": "-4",
        "RETRIES": "0",
        "MAX_WAIT": "9",
        "BUDGET_TOKENS": "1000",
        "BUDGET_COST": "2.5",
        "PRICE_IN": "0.4",
        "PRICE_OUT": "1.6",
    }
    settings = read(MODEL="m", API_KEY=KEY, **values)
    for name, value in values.items():
        assert getattr(settings, name.lower()) == float(value)
    assert settings.cost(1_000_000, 500_000) == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({}, "X_MODEL is not set"),
        ({"MODEL": "  "}, "X_MODEL is not set"),
        ({"MODEL": "mistral/small", "API_KEY": KEY}, "X_MODEL names no known provider: 'mistral'"),
        ({"MODEL": "ollama/"}, "X_MODEL names a provider but no model"),
        ({"MODEL": "m"}, "X_API_KEY is not set"),
        ({"MODEL": "anthropic/m"}, "X_API_KEY is not set"),
        ({"MODEL": "azure/m", "API_KEY": KEY}, "X_BASE_URL is not set"),
        ({"MODEL": "azure/m", "BASE_URL": "https://n.example"}, "X_API_KEY is not set"),
        ({"MODEL": "ollama/m", "CONCURRENCY": "0"}, "X_CONCURRENCY is '0'"),
        ({"MODEL": "ollama/m", "CONCURRENCY": "many"}, "X_CONCURRENCY is 'many'"),
        ({"MODEL": "ollama/m", "TIMEOUT": "nan"}, "X_TIMEOUT is 'nan'"),
        ({"MODEL": "ollama/m", "TEMPERATURE": "3"}, "X_TEMPERATURE is '3'"),
        ({"MODEL": "ollama/m", "BUDGET_TOKENS": "1e6"}, "X_BUDGET_TOKENS is '1e6'"),
        ({"MODEL": "ollama/m", "BUDGET_COST": "1"}, "X_PRICE_IN is not set"),
        ({"MODEL": "ollama/m", "PRICE_IN": "1"}, "X_PRICE_OUT is not set"),
        ({"MODEL": "ollama/m", "BASE_URL": "host:80"}, "X_BASE_URL is not an address"),
        ({"MODEL": "ollama/m", "BASE_URL": "ftp://host"}, "X_BASE_URL is not an address"),
        ({"MODEL": "ollama/m", "BASE_URL": "http://host:x"}, "X_BASE_URL is not an address"),
        ({"MODEL": "ollama/m", "BASE_URL": "http://h/?k=v"}, "X_BASE_URL has a query"),
        ({"MODEL": "m", "API_KEY": "abc"}, "X_API_KEY is too short"),
        ({"MODEL": "ollama/m", "BUDGET_TOKEN": "1"}, "X_BUDGET_TOKEN is no setting"),
    ],
)
def test_what_is_missing_or_wrong_is_named(variables: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read("X", **variables)
    assert named in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code is ExitCode.USAGE


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        read(MODEL="m", CONCURRENCY="x", SEED="y")
    assert len(caught.value.message.splitlines()) == 3


def test_a_misspelt_variable_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        read(MODEL="ollama/m", BUDGET_TOKEN="1")
    assert "RAGPROOF_GEN_BUDGET_TOKENS" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "sk-secret\nsecond-line"),
        ("API_KEY", "sk-sécret-key"),
        ("API_KEY", "two words"),
        ("BASE_URL", "https://user:sk-secret@host"),
    ],
)
def test_what_may_be_secret_is_not_quoted(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(MODEL="ollama/m", **{name: value})
    assert name in caught.value.message
    assert "cret" not in caught.value.message + caught.value.hint
    assert "words" not in caught.value.message + caught.value.hint


def test_a_usual_variable_is_pointed_at_but_never_read() -> None:
    environ = {"RAGPROOF_GEN_MODEL": "m", "OPENAI_API_KEY": "sk-elsewhere"}
    with pytest.raises(ConfigError) as caught:
        read_model_settings(environ)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "sk-elsewhere" not in caught.value.hint


def test_the_judge_has_variables_of_its_own() -> None:
    environ: dict[str, str] = {"RAGPROOF_GEN_MODEL": "m", "RAGPROOF_JUDGE_MODEL": "ollama/j"}
    settings = read_model_settings(environ, "RAGPROOF_JUDGE")
    assert (settings.model, settings.prefix) == ("j", "RAGPROOF_JUDGE")
    assert settings.variable("MAX_TOKENS") == "RAGPROOF_JUDGE_MAX_TOKENS"


def test_the_key_is_not_in_what_is_shown_of_settings() -> None:
    assert KEY not in repr(read(MODEL="m", API_KEY=KEY))


def test_every_variable_is_a_field() -> None:
    fields: dict[str, Any] = {name.lower() for name in VARIABLES} - {"api_key"}  # type: ignore[assignment]
    assert all(hasattr(read(MODEL="ollama/m"), name) for name in fields)
