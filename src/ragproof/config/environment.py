"""Values that a configuration takes from the environment: ``${RAGPROOF_TOKEN}``.

Only names that begin with ``RAGPROOF_`` or that the user lists may be used, so that
a configuration from a pull request cannot send other variables to its endpoint.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from ragproof.config.endpoint import EndpointConfig
from ragproof.errors import ConfigError
from ragproof.redact import MIN_LENGTH

PREFIX = "RAGPROOF_"
_REFERENCE = re.compile(r"\$(?:\$|\{([^{}]*)\})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATHS = re.compile(r"endpoint(\.retrieve|\.answer)?\.response")
_KEY_LENGTH = 16


class Resolved(NamedTuple):
    """An endpoint with all references replaced, and the values that are secret."""

    endpoint: EndpointConfig
    secrets: frozenset[str]


def resolve(
    endpoint: EndpointConfig, environment: Mapping[str, str], allowed: Collection[str] = ()
) -> Resolved:
    """Replace ``${NAME}`` in the texts of the endpoint's requests; ``$$`` is a dollar sign.

    Values are secret. Of one that is an address (http or https) only the longer values
    in its query are, which may be keys.

    Raises:
        ConfigError: a name that may not be used, is unset or blank, or a value that is
            too short to be kept out of reports, or no Unicode.
    """
    resolver = _Resolver(environment, allowed)
    raw = endpoint.model_dump(by_alias=True)
    replaced = EndpointConfig.model_validate(resolver.walk(raw, "endpoint"))
    if resolver.problems:
        raise ConfigError("\n".join(resolver.problems), resolver.hint)
    return Resolved(replaced, frozenset(resolver.secrets))


class _Resolver:
    def __init__(self, environment: Mapping[str, str], allowed: Collection[str]) -> None:
        self._environment = environment
        self._allowed = allowed
        self.secrets: set[str] = set()
        self.problems: list[str] = []
        self.hint = ""

    def walk(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            return _REFERENCE.sub(lambda match: self._value(match[1], path), value)
        if _PATHS.fullmatch(path):
            return value  # a JSONPath may hold a dollar sign of its own
        if isinstance(value, dict):
            return {key: self.walk(item, f"{path}.{key}") for key, item in value.items()}
        if isinstance(value, list):
            return [self.walk(item, f"{path}.{index}") for index, item in enumerate(value)]
        return value

    def _value(self, name: str | None, path: str) -> str:
        if name is None:
            return "$"
        if not _NAME.fullmatch(name):
            return self._reject(f"{path}: ${{{name}}} is not the name of a variable", "")
        if not name.startswith(PREFIX) and name not in self._allowed:
            return self._reject(
                f"{path}: ${{{name}}} may not be used",
                f"name the variable {PREFIX}..., or allow it with --env {name}",
            )
        value = self._environment.get(name, "")
        if not value.strip():
            return self._reject(
                f"{path}: ${{{name}}} is not set",
                f"set {name}; a pull request from a fork or from Dependabot is given no secrets",
            )
        if not _is_unicode(value):
            return self._reject(f"{path}: the value of ${{{name}}} is not UTF-8", "")
        if value.startswith(("http://", "https://")):
            self.secrets.update(_keys(value))
            return value
        if len(value.strip()) < MIN_LENGTH:
            return self._reject(
                f"{path}: the value of ${{{name}}} is shorter than {MIN_LENGTH} characters,"
                " too short to be kept out of reports",
                "use a longer secret, or write the value into the configuration",
            )
        self.secrets.add(value)
        return value

    def _reject(self, problem: str, hint: str) -> str:
        self.problems.append(problem)
        self.hint = self.hint or hint
        return ""


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _keys(url: str) -> Iterator[str]:
    """Values in the query of an address that are long enough to be keys."""
    try:
        query = urlsplit(url).query
    except ValueError:
        return
    for _, value in parse_qsl(query):
        if len(value) >= _KEY_LENGTH:
            yield value
