"""Asking the endpoint about one case: attempts, waits, and one answer or one failure."""

import random
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import requests
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError as Urllib3Error
from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from ragproof.config.endpoint import EndpointConfig
from ragproof.endpoint.body import (
    QUOTED,
    QUOTED_BYTES,
    BodyError,
    clean,
    quote,
    read_body,
)
from ragproof.endpoint.deadline import Watch
from ragproof.endpoint.faults import classify
from ragproof.endpoint.pace import Pace
from ragproof.endpoint.template import Request, RequestTemplate
from ragproof.endpoint.transport import (
    Adapter,
    ForbiddenAddressError,
    Network,
    open_session,
)
from ragproof.records import Case, Failure, FailureKind
from ragproof.redact import Redactor

_RETRIED_STATUSES = frozenset({408, 425, 429, *range(500, 600)})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 5
_FIRST_WAIT_S = 0.5


class Exchange(NamedTuple):
    """All that was said about one case.

    ``bodies`` are the JSON texts as received, secrets taken out, and ``parsed`` their
    values, by name of the request. ``latency_s`` is the time of the attempts that
    succeeded, waits left out; ``None`` when one of the requests failed.
    """

    bodies: dict[str, bytes]
    parsed: dict[str, Any]
    latency_s: float | None
    attempts: int
    failure: Failure | None


class _Reply(NamedTuple):
    body: bytes
    value: Any
    latency_s: float


class _Refusal(NamedTuple):
    """An attempt that failed; ``wait_s`` is what the endpoint asks to wait, if it says."""

    failure: Failure
    retry: bool = False
    wait_s: float | None = None


class Plan(NamedTuple):
    """What all workers share: compiled requests and settings."""

    templates: Mapping[str, RequestTemplate]
    settings: EndpointConfig
    network: Network
    redactor: Redactor


class Client:
    """Asks on behalf of one worker, over connections of its own."""

    def __init__(self, plan: Plan, watch: Watch, stop: threading.Event, pace: Pace) -> None:
        self._plan = plan
        self._settings = plan.settings
        self._watch = watch
        self._stop = stop
        self._pace = pace
        self._adapter = Adapter(watch, plan.network.localhost)
        self._session = open_session(self._adapter)
        self._limit = int(plan.settings.max_response_mb * 1_000_000)
        self._jitter = random.Random()  # noqa: S311 - spreads retries, secures nothing
        self._prepared = {
            name: self._session.prepare_request(
                requests.Request(
                    template.method,
                    template.origin.geturl(),
                    headers={"Accept": "application/json", **template.headers},
                    data=b"{}" if template.has_body else b"",
                )
            )
            for name, template in plan.templates.items()
        }

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def ask(self, case: Case) -> Exchange:
        """Make all requests for a case; the first that fails ends it."""
        bodies: dict[str, bytes] = {}
        parsed: dict[str, Any] = {}
        latency, attempts = 0.0, 0
        for name, template in self._plan.templates.items():
            reply, tries = self._insist(name, template.fill(case))
            attempts = max(attempts, tries)
            if isinstance(reply, Failure):
                return Exchange(bodies, parsed, None, attempts, reply)
            bodies[name], parsed[name] = reply.body, reply.value
            latency += reply.latency_s
        return Exchange(bodies, parsed, latency, attempts, None)

    def _insist(self, name: str, request: Request) -> tuple[_Reply | Failure, int]:
        """Try until an answer, a final failure, or the end of tries or of the waiting budget."""
        budget = self._settings.max_wait
        attempt = 1
        while True:
            self._pace.wait(self._stop)
            if self._stop.is_set():
                return Failure(FailureKind.NOT_ASKED, "asking was stopped"), attempt - 1
            result = self._attempt(name, request)
            if isinstance(result, _Reply):
                return result, attempt
            wait = self._wait_s(attempt) if result.wait_s is None else result.wait_s
            wait = min(wait, budget)
            spent = attempt > self._settings.retries or budget <= 0
            if not result.retry or spent or self._stop.wait(wait):
                break
            budget -= wait
            attempt += 1
        failure = result.failure
        if attempt > 1:
            failure = failure._replace(message=f"{failure.message} ({attempt} tries)")
        return failure, attempt

    def _wait_s(self, attempt: int) -> float:
        longest = _FIRST_WAIT_S * 2.0 ** (attempt - 1)
        return self._jitter.uniform(longest / 2, longest)

    def _attempt(self, name: str, request: Request) -> _Reply | _Refusal:
        started = time.perf_counter()
        try:
            with self._watch.until(time.monotonic() + self._settings.timeout):
                response = self._send(name, request)
                if response.status // 100 != 2:
                    return self._refused(response)
                body = self._read(response, self._limit)
            # Shutting a connection down looks like the end of a body of unknown length.
            if self._watch.expired:
                return self._broken(TimeoutError())
        except ForbiddenAddressError as error:
            return _Refusal(Failure(FailureKind.FORBIDDEN, f"{error}, which is never asked"))
        except (requests.RequestException, Urllib3Error, OSError) as error:
            return self._broken(error)
        if len(body) > self._limit:
            limit = self._settings.max_response_mb
            return _Refusal(
                Failure(FailureKind.TOO_LARGE, f"the response is larger than {limit:g} MB")
            )
        return self._parse(body, time.perf_counter() - started)

    def _send(self, name: str, request: Request) -> BaseHTTPResponse:
        prepared = self._prepared[name]
        url = request.url
        for _ in range(_MAX_REDIRECTS + 1):
            prepared.url = url
            prepared.body = request.body
            if request.body is not None:
                prepared.headers["Content-Length"] = str(len(request.body))
            response = self._adapter.exchange(prepared, self._settings.timeout, self._plan.network)
            target = self._redirect(url, response)
            if target is None:
                break
            self._read(response, QUOTED_BYTES)
            url = target
        return response

    def _redirect(self, url: str, response: BaseHTTPResponse) -> str | None:
        """Where to go on, if that is asked for and stays on the endpoint's own host."""
        if not self._settings.follow_redirects or response.status not in _REDIRECTS:
            return None
        try:
            target = urljoin(url, response.headers.get("Location", ""))
            old, new = _origin(url), _origin(target)
        except ValueError:
            return None
        upgraded = old == ("http", new[1], 80) and new == ("https", old[1], 443)
        return target if new == old or upgraded else None

    def _read(self, response: BaseHTTPResponse, limit: int) -> bytes:
        """The decoded body, or its first ``limit`` bytes and one more where it is larger."""
        encoded = "Content-Encoding" in response.headers
        parts: list[bytes] = []
        size = 0
        while True:
            part = response.read(limit + 1 - size, decode_content=True)
            parts.append(part)
            size += len(part)
            if size > limit:
                response.close()
            if size > limit or not part or (response.length_remaining == 0 and not encoded):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    def _refused(self, response: BaseHTTPResponse) -> _Refusal:
        status = response.status
        try:
            excerpt = quote(self._read(response, QUOTED_BYTES), self._plan.redactor)
        except (Urllib3Error, OSError):
            excerpt = ""  # the status says enough
        if status in _REDIRECTS:
            message = (
                f"HTTP {status} redirects to {self._clean(response.headers.get('Location', ''))}"
            )
            return _Refusal(Failure(FailureKind.REDIRECT, message[:QUOTED], excerpt))
        kind = FailureKind.AUTH if status in (401, 403) else FailureKind.STATUS
        reason = f" {self._clean(response.reason)[:60]}" if response.reason else ""
        return _Refusal(
            Failure(kind, f"HTTP {status}{reason}", excerpt),
            retry=status in _RETRIED_STATUSES and not self._watch.expired,
            wait_s=_retry_after(response.headers.get("Retry-After")),
        )

    def _broken(self, error: Exception) -> _Refusal:
        if self._watch.expired:
            limit = self._settings.timeout
            return _Refusal(Failure(FailureKind.TIMEOUT, f"no complete answer within {limit:g} s"))
        kind, message = classify(error, self._settings.timeout)
        retry = kind in (FailureKind.REFUSED, FailureKind.CUT)
        return _Refusal(Failure(kind, self._clean(message)[:QUOTED]), retry=retry)

    def _parse(self, raw: bytes, latency_s: float) -> _Reply | _Refusal:
        try:
            body = read_body(raw, self._plan.redactor)
        except BodyError as error:
            excerpt = quote(raw, self._plan.redactor)
            return _Refusal(Failure(FailureKind.NOT_JSON, str(error), excerpt))
        return _Reply(body.line, body.value, latency_s)

    def _clean(self, text: str) -> str:
        return clean(text, self._plan.redactor)


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return Retry(0).parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):
        return None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or usual
