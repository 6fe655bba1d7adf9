"""Asking an OpenViking server: attempts, waits, and a result or a reason."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import requests
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError as Urllib3Error
from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from ragproof.endpoint.body import QUOTED, BodyError, clean, read_body
from ragproof.endpoint.deadline import Watchdog
from ragproof.endpoint.faults import classify
from ragproof.endpoint.template import check_url
from ragproof.endpoint.transport import Adapter, ForbiddenAddressError, Network, open_session
from ragproof.errors import ConfigError
from ragproof.records import FailureKind
from ragproof.redact import MIN_LENGTH, Redactor

_RETRIED = frozenset({408, 425, 429, *range(500, 600)})
_FIRST_WAIT_S = 0.5


@dataclass(frozen=True, slots=True)
class VikingServer:
    """An OpenViking server and how it is asked.

    ``url`` is http or https, without credentials; ``key`` is a user's key, empty where the
    server asks for none. A call may take ``timeout_s`` seconds to its last byte; it is tried
    again up to ``retries`` times, with waits of no more than ``max_wait_s`` seconds together.

    Raises:
        ConfigError: the address or the key cannot be used.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout_s: float = 60.0
    retries: int = 3
    max_wait_s: float = 30.0

    def __post_init__(self) -> None:
        check_url(self.url, "OpenViking server")
        if "?" in self.url or "#" in self.url:
            raise ConfigError(
                "OpenViking server: the address holds a query", "give the address of the server"
            )
        if self.key and len(self.key) < MIN_LENGTH:
            raise ConfigError(
                "OpenViking server: the key is too short to be kept out of messages",
                "leave it out where the server asks for none",
            )
        if not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise ConfigError(
                "OpenViking server: the key holds characters that no key has", "copy it again"
            )


class Trouble(Enum):
    """What kind of reason there is for having no result."""

    DOWN = auto()
    """The server cannot be reached or is at fault: other calls will fare no better."""
    KEY = auto()
    """It asks for a key, or refuses the one given."""
    DENIED = auto()
    """The key may not do this."""
    MISSING = auto()
    """There is no such folder or file."""
    WRONG = auto()
    """Anything else about this one call."""


class VikingError(Exception):
    """A call without a result. ``reason`` is a clause that holds no secret."""

    def __init__(self, trouble: Trouble, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.trouble = trouble
        self.reason = reason
        self.code = code


class _Refusal(NamedTuple):
    error: VikingError
    retry: bool = False
    wait_s: float | None = None


class VikingClient:
    """Asks one server, over one connection."""

    def __init__(
        self, server: VikingServer, network: Network, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._server = server
        self._network = network
        self._sleep = sleep
        self._redactor = Redactor([server.key] if server.key else [])
        self._watchdog = Watchdog()
        self._watch = self._watchdog.watch()
        self._adapter = Adapter(self._watch, network.localhost)
        self._session = open_session(self._adapter)
        self._jitter = random.Random()  # noqa: S311 - spreads retries, secures nothing

    def __enter__(self) -> Self:
        self._watchdog.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._watchdog.stop()
        self._session.close()

    def result(self, path: str, values: Mapping[str, str], limit: int) -> dict[str, Any]:
        """The envelope of a successful call, ``result`` in it; secrets are masked.

        Raises:
            VikingError: there is none; also where it is larger than ``limit`` bytes.
        """
        raw = self.raw(path, values, limit)
        try:
            envelope = read_body(raw, self._redactor).value
        except BodyError as error:
            raise VikingError(Trouble.WRONG, f"is answered wrongly: {error}") from None
        if not isinstance(envelope, dict) or envelope.get("status") != "ok":
            raise VikingError(Trouble.WRONG, "is answered by something other than OpenViking")
        return envelope

    def raw(self, path: str, values: Mapping[str, str], limit: int) -> bytes:
        """The body of a successful call, as :meth:`result` raises."""
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())
        url = f"{self._server.url.rstrip('/')}/api/v1/{path}?{query}"
        headers = {"Accept": "*/*"}
        if self._server.key:
            headers["X-API-Key"] = self._server.key
        request = self._session.prepare_request(requests.Request("GET", url, headers=headers))
        budget = self._server.max_wait_s
        tries = 1
        while isinstance(outcome := self._attempt(request, limit), _Refusal):
            wait = self._wait_s(tries) if outcome.wait_s is None else outcome.wait_s
            wait = min(wait, budget)
            if not outcome.retry or tries > self._server.retries or budget <= 0:
                error = outcome.error
                more = f" ({tries} tries)" if tries > 1 else ""
                raise VikingError(error.trouble, error.reason + more, error.code)
            self._sleep(wait)
            budget -= wait
            tries += 1
        return outcome

    def _wait_s(self, tries: int) -> float:
        longest = _FIRST_WAIT_S * 2.0 ** (tries - 1)
        return self._jitter.uniform(longest / 2, longest)

    def _attempt(self, request: requests.PreparedRequest, limit: int) -> bytes | _Refusal:
        timeout_s = self._server.timeout_s
        try:
            with self._watch.until(time.monotonic() + timeout_s):
                response = self._adapter.exchange(request, timeout_s, self._network)
                body = _read(response, limit)
            # Shutting a connection down looks like the end of a body of unknown length.
            if self._watch.expired:
                return self._broken(TimeoutError())
        except ForbiddenAddressError as error:
            return _Refusal(VikingError(Trouble.DOWN, f"is not asked for: {error}"))
        except (requests.RequestException, Urllib3Error, OSError) as error:
            return self._broken(error)
        if response.status // 100 != 2:
            return self._refused(response, body)
        if len(body) > limit:
            return _Refusal(VikingError(Trouble.WRONG, f"is larger than {limit / 1e6:g} MB"))
        return body

    def _broken(self, error: Exception) -> _Refusal:
        kind, message = classify(
            TimeoutError() if self._watch.expired else error, self._server.timeout_s
        )
        message = message.replace("endpoint.ca_file", "REQUESTS_CA_BUNDLE")
        reason = f"cannot be had: {clean(message, self._redactor)[:QUOTED]}"
        retry = kind in (FailureKind.REFUSED, FailureKind.CUT)
        return _Refusal(VikingError(Trouble.DOWN, reason), retry)

    def _refused(self, response: BaseHTTPResponse, body: bytes) -> _Refusal:
        status = response.status
        code, said = self._said(body)
        reason = "does not exist there: HTTP 404" if status == 404 else f"is refused: HTTP {status}"
        if status // 100 == 3:
            reason = f"is answered with a redirect (HTTP {status}), which is not followed"
        elif said:
            reason += f" ({said})"
        trouble = {401: Trouble.KEY, 403: Trouble.DENIED, 404: Trouble.MISSING}.get(status)
        if trouble is None:
            trouble = Trouble.DOWN if status in _RETRIED else Trouble.WRONG
        return _Refusal(
            VikingError(trouble, reason, code),
            retry=status in _RETRIED,
            wait_s=_retry_after(response.headers.get("Retry-After")),
        )

    def _said(self, body: bytes) -> tuple[str, str]:
        """Code and message of an error, as far as it has any."""
        try:
            envelope = read_body(body, self._redactor).value
        except BodyError:
            return "", ""
        error = envelope.get("error") if isinstance(envelope, dict) else None
        if not isinstance(error, dict):
            return "", ""
        code, message = (
            clean(value, self._redactor)[:QUOTED] if isinstance(value, str) else ""
            for value in (error.get("code"), error.get("message"))
        )
        return code, ": ".join(filter(None, (code, message)))


def _read(response: BaseHTTPResponse, limit: int) -> bytes:
    """The decoded body, or its first ``limit`` bytes and one more where it is larger."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := response.read(limit + 1 - size, decode_content=True)):
        parts.append(part)
        size += len(part)
    if size > limit:
        response.close()
    return b"".join(parts)


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return Retry(0).parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):
        return None
