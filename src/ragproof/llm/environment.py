"""Settings of a model from variables: ``RAGPROOF_GEN_MODEL`` and those beside it."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ragproof.errors import ConfigError
from ragproof.llm.settings import DEFAULT_URLS, ModelSettings, Provider
from ragproof.redact import MIN_LENGTH


class _Number(NamedTuple):
    """A variable that is a number, the field it goes to, and its bounds."""

    field: str
    parse: Callable[[str], float]
    low: float
    high: float
    what: str


_NUMBERS = {
    "MAX_TOKENS": _Number("max_tokens", int, 1, 1_000_000, "a whole number from 1 to 1000000"),
    "CONCURRENCY": _Number("concurrency", int, 1, 256, "a whole number from 1 to 256"),
    "RATE_LIMIT": _Number("rate_limit", float, 0.001, 10_000, "requests a second, like 2 or 0.5"),
    "TIMEOUT": _Number("timeout", float, 0.1, 3600, "seconds from 0.1 to 3600"),
    "RETRIES": _Number("retries", int, 0, 20, "a whole number from 0 to 20"),
    "MAX_WAIT": _Number("max_wait", float, 0, 3600, "seconds from 0 to 3600"),
    "TEMPERATURE": _Number("temperature", float, 0, 2, "a number from 0 to 2, or none"),
    "SEED": _Number("seed", int, -(2**63), 2**63 - 1, "a whole number of 64 bits"),
    "BUDGET_TOKENS": _Number("budget_tokens", int, 1, 10**15, "a whole number of tokens"),
    "BUDGET_COST": _Number("budget_cost", float, 0, 10**9, "an amount of money, like 2.50"),
    "PRICE_IN": _Number("price_in", float, 0, 10**6, "the price of a million tokens, like 0.40"),
    "PRICE_OUT": _Number("price_out", float, 0, 10**6, "the price of a million tokens, like 1.60"),
}
VARIABLES = ("MODEL", "BASE_URL", "API_KEY", "API_VERSION", *_NUMBERS)
"""What may follow the prefix and an underscore."""

_EXAMPLE = "gpt-4.1-mini, anthropic/claude-sonnet-4-5, ollama/llama3, azure/MY-DEPLOYMENT"
_USUAL_KEYS = {
    Provider.OPENAI: "OPENAI_API_KEY",
    Provider.ANTHROPIC: "ANTHROPIC_API_KEY",
    Provider.OPENROUTER: "OPENROUTER_API_KEY",
    Provider.AZURE: "AZURE_OPENAI_API_KEY",
}


def read_model_settings(environ: Mapping[str, str], prefix: str = "RAGPROOF_GEN") -> ModelSettings:
    """Settings from the variables that begin with ``prefix``; blank ones count as unset.

    No key is taken from the providers' usual variables: they may hold one for another host.

    Raises:
        ConfigError: a variable is missing, wrong or unknown; one line for each.
    """
    return _Reader(environ, prefix).read()


class _Reader:
    def __init__(self, environ: Mapping[str, str], prefix: str) -> None:
        self._environ = environ
        self._prefix = prefix
        self._problems: list[str] = []
        self._hint = ""

    def read(self) -> ModelSettings:
        self._refuse_unknown()
        model = self._value("MODEL")
        if model is None:
            hint = f"name a model, like {_EXAMPLE}"
            self._reject("MODEL", "is not set", hint)
            raise self._error()
        base_url = self._base_url()
        provider, name = self._provider(model, custom=base_url is not None)
        if base_url is None:
            base_url = DEFAULT_URLS.get(provider, "")
            if not base_url:
                hint = "give the address of your resource, like https://NAME.openai.azure.com"
                self._reject("BASE_URL", f"is not set, which models of {provider} need", hint)
        key = self._key(provider, needed=base_url == DEFAULT_URLS.get(provider))
        numbers = self._numbers()
        fields: dict[str, Any] = dict(numbers)
        version = self._value("API_VERSION")
        if version is not None:
            fields["api_version"] = version
        if self._problems:
            raise self._error()
        return ModelSettings(
            provider=provider,
            model=name,
            base_url=base_url,
            key=key,
            prefix=self._prefix,
            **fields,
        )

    def _refuse_unknown(self) -> None:
        start = f"{self._prefix}_"
        for name in sorted(self._environ):
            if name.startswith(start) and name.removeprefix(start) not in VARIABLES:
                near = get_close_matches(name.removeprefix(start), VARIABLES, 1)
                hint = f"did you mean {start}{near[0]}?" if near else "unset it"
                self._reject(name.removeprefix(start), "is no setting of a model", hint)

    def _value(self, name: str) -> str | None:
        value = self._environ.get(f"{self._prefix}_{name}", "").strip()
        return value or None

    def _provider(self, model: str, *, custom: bool) -> tuple[Provider, str]:
        head, slash, rest = model.partition("/")
        if slash and head in set(Provider):
            provider, name = Provider(head), rest.strip()
        elif slash and not custom:
            hint = f"begin it with one of {', '.join(Provider)}, or set {self._prefix}_BASE_URL"
            self._reject("MODEL", f"names no known provider: {_shown(head)}", hint)
            return Provider.OPENAI, model
        else:
            provider, name = Provider.OPENAI, model
        if not name or not name.isprintable():
            self._reject("MODEL", "names a provider but no model", f"write it like {_EXAMPLE}")
        return provider, name

    def _base_url(self) -> str | None:
        value = self._value("BASE_URL")
        if value is None:
            return None
        wrong = _wrong_address(value)
        if wrong:
            hint = "write it like https://models.example.com/v1"
            self._reject("BASE_URL", wrong, hint)
        return value.rstrip("/")

    def _key(self, provider: Provider, *, needed: bool) -> str | None:
        key = self._value("API_KEY")
        if key is None:
            if provider is Provider.AZURE or (needed and provider is not Provider.OLLAMA):
                usual = _USUAL_KEYS[provider]
                given = f"; {usual} is set: pass it on" if self._environ.get(usual) else ""
                hint = (
                    f"set {self._prefix}_API_KEY to your key{given}"
                    "; a pull request from a fork or from Dependabot is given no secrets"
                )
                self._reject("API_KEY", f"is not set, which models of {provider} need", hint)
        elif len(key) < MIN_LENGTH:
            hint = "a server that checks no key needs none: unset it"
            self._reject("API_KEY", "is too short to be kept out of messages", hint)
        elif not (key.isascii() and key.isprintable() and " " not in key):
            self._reject("API_KEY", "holds characters that no key has", "copy the key again")
        return key

    def _numbers(self) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for name, number in _NUMBERS.items():
            value = self._value(name)
            if value is None:
                continue
            if name == "TEMPERATURE" and value.lower() == "none":
                found[number.field] = None
                continue
            parsed = _parsed(value, number)
            if parsed is None:
                self._reject(name, f"is {_shown(value)}", f"it must be {number.what}")
            else:
                found[number.field] = parsed
        self._check_prices(found)
        return found

    def _check_prices(self, found: Mapping[str, float | None]) -> None:
        priced = {name for name in ("PRICE_IN", "PRICE_OUT") if self._value(name) is not None}
        needed = bool(priced) or self._value("BUDGET_COST") is not None
        for name in ("PRICE_IN", "PRICE_OUT"):
            if needed and name not in priced:
                other = "BUDGET_COST" if self._value("BUDGET_COST") else priced.copy().pop()
                hint = "give the prices of a million tokens in and out"
                self._reject(name, f"is not set, which {self._prefix}_{other} needs", hint)

    def _reject(self, name: str, problem: str, hint: str) -> None:
        self._problems.append(f"{self._prefix}_{name} {problem}")
        self._hint = self._hint or hint

    def _error(self) -> ConfigError:
        return ConfigError("\n".join(self._problems), self._hint)


def _parsed(value: str, number: _Number) -> float | None:
    try:
        parsed = number.parse(value)
    except ValueError:
        return None
    # What is no number lies within no bounds.
    return parsed if number.low <= parsed <= number.high else None


def _wrong_address(value: str) -> str:
    """What is wrong with a base address, quoting it only where it can hold no secret."""
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        return "is not an address"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not an address that begins with http:// or https://"
    if "@" in parts.netloc:
        return "holds a user or password, which belong into no address"
    if parts.query or parts.fragment:
        return "has a query or fragment, which a base address cannot have"
    if not value.isascii() or not value.isprintable() or " " in value:
        return "holds characters that no address has"
    return ""


def _shown(value: str) -> str:
    short = value if len(value) <= 40 else value[:39] + "…"
    return repr(short)
