"""Requests made from a configuration: placeholders replaced in values, never in JSON text."""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from requests import PreparedRequest, RequestException

from ragproof.config.endpoint import RequestConfig
from ragproof.endpoint.addresses import is_forbidden
from ragproof.errors import ConfigError
from ragproof.records import Case

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_NAMES = ("question", "k", "case.id")
_FRAMING = frozenset(
    {"connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade"}
)
_LIKE_THIS = "write it like http://localhost:8000/query"

Fill = Callable[[dict[str, Any]], Any]


_encode = json.JSONEncoder(ensure_ascii=False).encode


class Request(NamedTuple):
    """What is sent for one case."""

    url: str
    body: bytes | None


class RequestTemplate:
    """One configured request, compiled: each case only fills in its values."""

    def __init__(self, config: RequestConfig, where: str, k: int) -> None:
        """
        Raises:
            ConfigError: an unknown placeholder, a URL that cannot or must not be asked,
                a header that is none, or a body that is not JSON.
        """
        check_url(config.url, f"{where}.url")
        self.method = config.method
        self.origin = urlsplit(config.url)
        self.headers = dict(config.headers)
        if config.body is not None and "content-type" not in {h.lower() for h in self.headers}:
            self.headers["Content-Type"] = "application/json"
        for name, value in self.headers.items():
            _check_header(name, value, f"{where}.headers")
        self.has_body = config.body is not None
        _check_body(config.body, f"{where}.body")
        self._k = k
        self._url = _compile(config.url, f"{where}.url", lambda value: quote(str(value), safe=""))
        self._body = None if config.body is None else _compile(config.body, f"{where}.body")

    def fill(self, case: Case) -> Request:
        """The request for ``case``."""
        values = {"question": case.question, "k": self._k, "case.id": case.id}
        body = None
        if self._body is not None:
            body = _encode(self._body(values)).encode("utf-8")
        return Request(self._url(values), body)


def check_url(url: str, where: str) -> None:
    """Refuse what is not a plain http or https address, and the addresses of metadata services.

    Raises:
        ConfigError: see above.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError(f"{where}: {error}", _LIKE_THIS) from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"{where}: not an http or https address", _LIKE_THIS)
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"{where}: holds credentials",
            "send them in a header, with ${RAGPROOF_...} in its value",
        )
    if _PLACEHOLDER.search(parts.netloc):
        raise ConfigError(f"{where}: the host may not hold a placeholder")
    if is_forbidden(host):
        raise ConfigError(f"{where}: {host} is an address of metadata, which is never asked")
    try:
        host.encode("idna")
        PreparedRequest().prepare_url(url, None)
    except (UnicodeError, RequestException):
        raise ConfigError(
            f"{where}: {host[:100]!r} is not the name of a host", _LIKE_THIS
        ) from None


def _check_body(body: Any, where: str) -> None:
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"{where}: cannot be sent as JSON: {error}", "put dates and the like in quotes"
        ) from None


def _check_header(name: str, value: str, where: str) -> None:
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ConfigError(f"{where}: {name!r} is not the name of a header")
    if name.lower() in _FRAMING:
        raise ConfigError(f"{where}.{name}: is set by ragproof", "leave it out")
    if not value.isprintable() or not value.isascii() or value != value.strip():
        raise ConfigError(
            f"{where}.{name}: the value holds a line break or other special character,"
            " or white space at an end",
            "check the variable it comes from for a trailing line break",
        )


def _same(value: Any) -> Any:
    return value


def _compile(tree: Any, where: str, encode: Callable[[Any], Any] = _same) -> Fill:
    """A function from values to a copy of ``tree`` with its placeholders replaced."""
    if isinstance(tree, str):
        return _compile_text(tree, where, encode)
    if isinstance(tree, dict):
        parts = {key: _compile(item, f"{where}.{key}") for key, item in tree.items()}
        return lambda values: {key: part(values) for key, part in parts.items()}
    if isinstance(tree, list):
        items = [_compile(item, f"{where}.{index}") for index, item in enumerate(tree)]
        return lambda values: [item(values) for item in items]
    return lambda values: tree


def _compile_text(text: str, where: str, encode: Callable[[Any], Any]) -> Fill:
    names = _PLACEHOLDER.findall(text)
    unknown = [name for name in names if name not in _NAMES]
    if unknown:
        raise ConfigError(
            f"{where}: there is no placeholder {{{{ {unknown[0]} }}}}",
            "the placeholders are {{ question }}, {{ k }} and {{ case.id }}",
        )
    if not names:
        return lambda values: text
    whole = _PLACEHOLDER.fullmatch(text)
    if whole:
        name = whole[1]
        return lambda values: encode(values[name])
    return lambda values: _PLACEHOLDER.sub(lambda match: str(encode(values[match[1]])), text)
