"""Asking a model over HTTP about one prompt: attempts, waits, and a reply or an error."""

import json
import random
import threading
import time
from typing import Any, NamedTuple

import requests
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError as Urllib3Error
from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from ragproof.endpoint.body import QUOTED, BodyError, clean, read_body
from ragproof.endpoint.deadline import Watch
from ragproof.endpoint.faults import classify
from ragproof.endpoint.pace import Pace
from ragproof.endpoint.transport import Adapter, ForbiddenAddressError, Network, open_session
from ragproof.llm.errors import (
    CompletionError,
    FatalModelError,
    ModelError,
    Reason,
    RefusedError,
    UnavailableError,
)
from ragproof.llm.providers import INTERFACES
from ragproof.llm.providers.wire import Call, Dialect, Reply, ReportedError, ShapeError
from ragproof.llm.rejections import Meaning, Rejection, adapted, read_rejection
from ragproof.llm.settings import ModelSettings
from ragproof.records import FailureKind
from ragproof.redact import Redactor

_LARGEST = 20_000_000
_FIRST_WAIT_S = 0.5
_CHANGES = 3
_HOPELESS = frozenset({FailureKind.UNRESOLVED, FailureKind.TLS})


class Shared:
    """What all callers of a model share. ``dialect`` changes when a server asks for another."""

    def __init__(self, settings: ModelSettings, network: Network, redactor: Redactor) -> None:
        self.settings = settings
        self.network = network
        self.redactor = redactor
        self.interface = INTERFACES[settings.provider]
        self.dialect: Dialect = self.interface.dialect(settings)
        self.pace = Pace(settings.rate_limit)
        self.stop = threading.Event()

    def learn(self, rejected: Dialect, wanted: Dialect) -> None:
        """Speak another dialect from now on, unless others have learnt more meanwhile."""
        if self.dialect == rejected:
            self.dialect = wanted


class Answered(NamedTuple):
    """A reply or an error, and how many tries it took. ``unsure`` of these may have been charged
    for without an answer: they reached the provider, and nobody knows what became of them."""

    outcome: Reply | ModelError
    tries: int
    unsure: int


class _Trouble(NamedTuple):
    """An attempt that failed: what to raise in the end, and whether to try before. ``dialect``
    is the one that was rejected, with the one that was asked for instead."""

    error: ModelError
    retry: bool = False
    wait_s: float | None = None
    dialect: tuple[Dialect, Dialect] | None = None
    unsure: bool = False


class Caller:
    """Asks on behalf of one thread, over a connection of its own."""

    def __init__(self, shared: Shared, watch: Watch) -> None:
        self._shared = shared
        self._settings = shared.settings
        self._watch = watch
        self._adapter = Adapter(watch, shared.network.localhost)
        self._session = open_session(self._adapter)
        self._prepared: requests.PreparedRequest | None = None
        self._jitter = random.Random()  # noqa: S311 - spreads retries, secures nothing

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def ask(self, prompt: str) -> Answered:
        """Try until a reply, a final error, or the end of tries or of the waiting budget."""
        left = self._settings.max_wait
        tries = unsure = changes = 0
        while True:
            self._shared.pace.wait(self._shared.stop)
            if self._shared.stop.is_set():
                stopped = CompletionError(Reason.STOPPED, f"{self._settings.name} was stopped")
                return Answered(stopped, tries, unsure)
            tries += 1
            result = self._attempt(prompt)
            if isinstance(result, Reply):
                return Answered(result, tries, unsure)
            unsure += result.unsure
            if result.dialect is not None and changes < _CHANGES:
                self._shared.learn(*result.dialect)
                changes += 1
                continue
            wait = self._wait_s(tries) if result.wait_s is None else result.wait_s
            wait = min(wait, left)
            spent = tries > self._settings.retries or left <= 0
            if not result.retry or spent or self._shared.stop.wait(wait):
                return Answered(_counted(result.error, tries), tries, unsure)
            left -= wait

    def _wait_s(self, tries: int) -> float:
        longest = _FIRST_WAIT_S * 2.0 ** (tries - 1)
        return self._jitter.uniform(longest / 2, longest)

    def _attempt(self, prompt: str) -> Reply | _Trouble:
        dialect = self._shared.dialect
        call = self._shared.interface.build(self._settings, dialect, prompt)
        try:
            with self._watch.until(time.monotonic() + self._settings.timeout):
                response = self._adapter.exchange(
                    self._prepare(call), self._settings.timeout, self._shared.network
                )
                raw = self._read(response)
            # Shutting a connection down looks like the end of a body of unknown length.
            if self._watch.expired:
                return self._broken(TimeoutError())
        except ForbiddenAddressError as error:
            return _Trouble(self._fatal(f"{error}, which is never asked", "BASE_URL"))
        except (requests.RequestException, Urllib3Error, OSError) as error:
            return self._broken(error)
        if response.status // 100 != 2:
            return self._refused(response, raw, dialect)
        return self._understood(raw, dialect)

    def _prepare(self, call: Call) -> requests.PreparedRequest:
        """The request of a call: one object, whose body is another each time."""
        if self._prepared is None:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            self._prepared = self._session.prepare_request(
                requests.Request("POST", call.url, headers={**headers, **call.headers}, data=b"{}")
            )
        # A text of the user's may hold half of a surrogate pair, which escapes can spell.
        body = json.dumps(call.body).encode()
        self._prepared.body = body
        self._prepared.headers["Content-Length"] = str(len(body))
        return self._prepared

    def _read(self, response: BaseHTTPResponse) -> bytes:
        """The decoded body, or its first bytes and one more than are taken."""
        parts: list[bytes] = []
        size = 0
        while size <= _LARGEST:
            part = response.read(_LARGEST + 1 - size, decode_content=True)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size += len(part)
        response.close()
        return b"".join(parts)

    def _understood(self, raw: bytes, dialect: Dialect) -> Reply | _Trouble:
        value: Any = None
        try:
            if len(raw) > _LARGEST:
                raise ShapeError(f"the response is larger than {_LARGEST // 1_000_000} MB")
            value = read_body(raw, self._shared.redactor).value
            return self._shared.interface.read(value)
        except ReportedError as error:
            return self._rejected(read_rejection(error.status, value), None, dialect)
        except (BodyError, ShapeError) as error:
            message = f"{self._settings.name}: {error}"
            hint = f"check {self._settings.variable('BASE_URL')}: is it a {self._provider()} API?"
            return _Trouble(CompletionError(Reason.SHAPE, message, hint))

    def _refused(self, response: BaseHTTPResponse, raw: bytes, dialect: Dialect) -> _Trouble:
        try:
            body = read_body(raw, self._shared.redactor).value
        except BodyError:
            body = None
        rejection = read_rejection(response.status, body)
        wait_s = _retry_after(response.headers.get("Retry-After"))
        return self._rejected(rejection, wait_s, dialect)

    def _rejected(self, rejection: Rejection, wait_s: float | None, dialect: Dialect) -> _Trouble:
        said = self._clean(rejection.message)[:QUOTED]
        message = f"HTTP {rejection.status}" + (f": {said}" if said else "")
        if (new := adapted(dialect, rejection)) is not None:
            return _Trouble(self._fatal(message, "MODEL"), dialect=(dialect, new))
        named = f"{self._settings.name}: {message}"
        match rejection.meaning:
            case Meaning.FATAL:
                return _Trouble(self._fatal(message, _to_mend(rejection)))
            case Meaning.REFUSED:
                return _Trouble(RefusedError(named))
            case Meaning.TOO_LONG:
                hint = f"smaller chunks, or less {self._settings.variable('MAX_TOKENS')}, would fit"
                return _Trouble(CompletionError(Reason.TOO_LONG, named, hint))
            case Meaning.RETRY:
                hint = ""
                if rejection.status == 429:
                    names = map(self._settings.variable, ("CONCURRENCY", "RATE_LIMIT"))
                    hint = f"lower {' or '.join(names)}"
                retry = not self._watch.expired
                return _Trouble(UnavailableError(named, hint), retry=retry, wait_s=wait_s)
            case Meaning.REJECTED:
                return _Trouble(CompletionError(Reason.REJECTED, named))

    def _broken(self, error: Exception) -> _Trouble:
        timeout = self._settings.timeout
        kind, message = classify(TimeoutError() if self._watch.expired else error, timeout)
        message = self._clean(message.replace("endpoint.ca_file", "REQUESTS_CA_BUNDLE"))[:QUOTED]
        if kind in _HOPELESS:
            return _Trouble(self._fatal(message, "BASE_URL"))
        name = "TIMEOUT" if kind is FailureKind.TIMEOUT else "BASE_URL"
        hint = f"check that it is running, and {self._settings.variable(name)}"
        return _Trouble(
            UnavailableError(f"{self._settings.name}: {message}", hint),
            retry=kind in (FailureKind.REFUSED, FailureKind.CUT),
            unsure=kind is not FailureKind.REFUSED,
        )

    def _fatal(self, message: str, variable: str) -> FatalModelError:
        text = f"{self._settings.name} at {self._settings.base_url} cannot be used: {message}"
        return FatalModelError(text, f"check {self._settings.variable(variable)}")

    def _provider(self) -> str:
        return f"{self._settings.provider}-compatible"

    def _clean(self, text: str) -> str:
        return clean(text, self._shared.redactor)


def _to_mend(rejection: Rejection) -> str:
    """The variable that an error which meets all calls most likely comes from."""
    if rejection.status in (401, 402, 403, 429):
        return "API_KEY"
    if rejection.status in (404, 405, 410) or rejection.status < 400:
        return "MODEL" if "model" in f"{rejection.code} {rejection.message}".lower() else "BASE_URL"
    return "API_KEY" if "key" in rejection.message.lower() else "MODEL"


def _counted(error: ModelError, tries: int) -> ModelError:
    if tries > 1 and isinstance(error, UnavailableError):
        return UnavailableError(f"{error.message} ({tries} tries)", error.hint)
    return error


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return Retry(0).parse_retry_after(value)
    except (InvalidHeader, ValueError, OverflowError):
        return None
