"""Calls to GitHub's REST API: patient within a budget, and never a token anywhere else."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
from requests.utils import parse_header_links
from urllib3.exceptions import HTTPError as Urllib3Error

from ragproof.endpoint.body import clean
from ragproof.endpoint.faults import classify
from ragproof.github.event import is_repository
from ragproof.github.refusal import ApiError, purpose_of, refused
from ragproof.records import FailureKind
from ragproof.redact import Redactor
from ragproof.version import __version__

__all__ = ["JSON", "RAW_BYTES", "Api", "ApiError"]

JSON = "application/vnd.github+json"
_RAW = "application/vnd.github.raw+json"
RAW_BYTES = 100_000_000
"""GitHub itself sends no larger file."""
_JSON_BYTES = 64_000_000
"""A page is 100 comments of up to 65,536 characters, which strangers may have filled."""
_ERROR_BYTES = 65_536
_QUOTED = 300
_PER_PAGE = 100
_MAX_PAGES = 1000
_MAX_TRIES = 6
_FIRST_WAIT_S = 0.5
_PIECE = 65_536
_REDIRECTS = frozenset({301, 302, 307, 308})
_MAX_REDIRECTS = 3
_PORTS = {"http": 80, "https": 443}
_T = TypeVar("_T")


class _Reply(NamedTuple):
    """``headers`` by name in lower case; ``url`` is where the reply came from."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class _Request(NamedTuple):
    """``path`` is below the repository's; ``url`` the whole address."""

    method: str
    path: str
    url: str
    accept: str = JSON
    body: bytes | None = None
    limit: int = _JSON_BYTES


class Api:
    """The calls about one repository, with one token.

    Calls that read are repeated while they may yet succeed; those that write are made once,
    for only the caller can see whether one that failed has written (:meth:`pause`).
    """

    def __init__(  # noqa: PLR0913 - what differs in tests is given
        self,
        base_url: str,
        repository: str,
        token: str,
        *,
        session: requests.Session,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        budget_s: float = 75.0,
        timeout_s: float = 10.0,
    ) -> None:
        """Prepare for calls; makes none.

        Args:
            base_url: As in ``GITHUB_API_URL``, also of an Enterprise Server.
            repository: ``OWNER/NAME``.
            session: Must take nothing from the environment (``trust_env``), or a netrc file
                could replace the token; its proxies and ``verify`` are used.
            wall: Seconds since 1970, for limits that end at a time of day.
            budget_s: What failed calls and waits may take together, over all calls. It
                holds the minute that GitHub asks for at a secondary rate limit.
            timeout_s: For a call: to connect, between bytes, and for the body as a whole.

        Raises:
            ApiError: no token, or an address or name that cannot be.
        """
        self._token = token.strip()
        self._redactor = Redactor([token, self._token])
        if not self._token:
            raise ApiError("there is no token for GitHub", "give one as github-token")
        if not all("!" <= character <= "~" for character in self._token):
            raise ApiError(
                "the token for GitHub holds characters that no token has",
                "see what the secret given as github-token holds",
            )
        self._base = base_url.rstrip("/")
        try:
            self._origin = _origin(self._base)
        except ValueError:
            raise ApiError(
                f"{self._clean(base_url)!r} is no address of an API",
                "GITHUB_API_URL must be like https://api.github.com",
            ) from None
        if not is_repository(repository):
            raise ApiError(
                f"{self._clean(repository)!r} is no repository",
                "GITHUB_REPOSITORY must be OWNER/NAME",
            )
        self._base += f"/repos/{repository}"
        self.repository = repository
        self._session = session
        self._sleep, self._clock, self._wall = sleep, clock, wall
        self._left_s = budget_s
        self._timeout_s = timeout_s
        self._jitter = random.Random()  # noqa: S311 - spreads retries, secures nothing

    @property
    def owner(self) -> str:
        """Whose the repository is."""
        return self.repository.partition("/")[0]

    def get(self, path: str, params: Mapping[str, str] | None = None, accept: str = JSON) -> Any:
        """The JSON at a path below the repository's (``/pulls/1``).

        Raises:
            ApiError: there is none, or the budget is spent.
        """
        request = _Request("GET", path, self._url(path, params), accept)
        return self.insist(lambda: self._fetch(request))[0]

    def pages(self, path: str, params: Mapping[str, str] | None = None) -> Iterator[Any]:
        """The items of a list, page by page, as they are asked for.

        Raises:
            ApiError: as :meth:`get`; a next page at another host is never fetched.
        """
        url: str | None = self._url(path, {**(params or {}), "per_page": str(_PER_PAGE)})
        for _ in range(_MAX_PAGES):
            if url is None:
                return
            items, url = self._page(_Request("GET", path, url))
            yield from items
        raise self._error(f"GitHub does not {purpose_of('GET', path).doing}: no page is the last")

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send JSON to a path, once, and return the JSON that comes back.

        Raises:
            ApiError: if it is ``passing``, the call may nevertheless have succeeded.
        """
        return self._write("POST", path, body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """As :meth:`post`, for what is there already."""
        return self._write("PATCH", path, body)

    def raw(self, path: str, params: Mapping[str, str], limit: int = RAW_BYTES) -> bytes:
        """The bytes at a path below the repository's, at most ``limit``.

        Raises:
            ApiError: there are none, or more, or the budget is spent.
        """
        request = _Request("GET", path, self._url(path, params), _RAW, limit=limit)
        return self.insist(lambda: self._call(request)).body

    def pause(self, error: ApiError, tries: int) -> None:
        """Wait before a call is repeated that has failed for the ``tries``-th time.

        Raises:
            ApiError: ``error``, where there is no use in repeating or no budget left.
        """
        if error.wait_s is not None:
            wait_s = error.wait_s + self._jitter.random() * min(1.0, error.wait_s)
            hopeless = wait_s > self._left_s
        else:
            longest = _FIRST_WAIT_S * 2.0 ** (tries - 1)
            wait_s = min(self._jitter.uniform(longest / 2, longest), self._left_s)
            hopeless = self._left_s <= 0
        if not error.passing or tries >= _MAX_TRIES or hopeless:
            raise error
        self._left_s -= wait_s
        self._sleep(wait_s)

    def malformed(self, what: str) -> ApiError:
        """The error that a reply without something it must have stands for."""
        return self._error(
            f"GitHub's reply holds no usable {what}", "see that GITHUB_API_URL is GitHub's API"
        )

    def insist(self, call: Callable[[], _T]) -> _T:
        """Make a call that may be repeated until it succeeds; return what it returns.

        Raises:
            ApiError: there is no use in repeating it, or the budget is spent.
        """
        tries = 0
        while True:
            try:
                return call()
            except ApiError as error:
                tries += 1
                self.pause(error, tries)

    def _page(self, request: _Request) -> tuple[list[Any], str | None]:
        """The items of a page and the address of the next."""
        items, reply = self.insist(lambda: self._fetch(request))
        if not isinstance(items, list):
            raise self.malformed("list")
        for link in parse_header_links(reply.headers.get("link", "")):
            if link.get("rel") == "next":
                return items, self._own(reply.url, link["url"])
        return items, None

    def _fetch(self, request: _Request) -> tuple[Any, _Reply]:
        reply = self._call(request)
        return self._json(reply), reply

    def _write(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        data = json.dumps(body).encode("ascii")
        return self._fetch(_Request(method, path, self._url(path), body=data))[0]

    def _url(self, path: str, params: Mapping[str, str] | None = None) -> str:
        query = urlencode(params or {}, quote_via=quote, safe="")
        return f"{self._base}{path}" + (f"?{query}" if query else "")

    def _call(self, request: _Request) -> _Reply:
        """Make a call, once. What it takes to fail is taken from the budget.

        Raises:
            ApiError: no reply, or one that is no success.
        """
        started = self._clock()
        try:
            return self._success(request)
        except ApiError:
            self._left_s -= self._clock() - started
            raise

    def _success(self, request: _Request) -> _Reply:
        reply = self._send(request, request.url)
        for _ in range(_MAX_REDIRECTS):
            if reply.status not in _REDIRECTS:
                break
            # So GitHub answers about a repository that has been renamed.
            target = self._own(reply.url, reply.headers.get("location", ""))
            reply = self._send(request, target)
        if reply.status // 100 == 2:
            return reply
        purpose = purpose_of(request.method, request.path)
        raise refused(purpose, reply.status, reply.headers, self._said(reply), self._wall())

    def _send(self, request: _Request, url: str) -> _Reply:
        headers = {
            "Accept": request.accept,
            "Authorization": f"Bearer {self._token}",
            "User-Agent": f"ragproof/{__version__}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        expires = self._clock() + self._timeout_s
        try:
            with self._open(request, url, headers) as response:
                good = response.status_code // 100 == 2
                body = self._read(response, request.limit if good else _ERROR_BYTES, expires)
        except (requests.RequestException, Urllib3Error, OSError) as error:
            raise self._unreached(request, error) from None
        if good and len(body) > request.limit:
            raise self._error(
                f"GitHub's reply is larger than {request.limit:,} bytes", "make the file smaller"
            )
        found = {name.lower(): value for name, value in response.headers.items()}
        return _Reply(url, response.status_code, found, body)

    def _open(self, request: _Request, url: str, headers: dict[str, str]) -> requests.Response:
        """Send a request by the session's adapter.

        The session itself would read the whole body of a redirect, followed or not.
        """
        session = self._session
        prepared = session.prepare_request(
            requests.Request(request.method, url, headers=headers, data=request.body)
        )
        return session.get_adapter(url).send(
            prepared,
            stream=True,
            timeout=self._timeout_s,
            verify=True if session.verify is None else session.verify,
            cert=session.cert,
            proxies=dict(session.proxies),
        )

    def _read(self, response: requests.Response, limit: int, expires: float) -> bytes:
        """The decoded body; of one larger than ``limit`` bytes somewhat more than these."""
        parts: list[bytes] = []
        size = 0
        while size <= limit and (part := response.raw.read1(_PIECE, decode_content=True)):
            if self._clock() > expires:
                raise TimeoutError
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    def _unreached(self, request: _Request, error: Exception) -> ApiError:
        kind, words = classify(error, self._timeout_s)
        hint = "see that GITHUB_API_URL is right and the runner may reach it, by a proxy if need be"
        if kind is FailureKind.TLS:
            words = "the certificate is not trusted, or the TLS handshake fails"
            hint = "name the certificate authority of the server or proxy with REQUESTS_CA_BUNDLE"
        return self._error(
            f"GitHub does not {purpose_of(request.method, request.path).doing}: {words}",
            hint,
            # What is wrong with an address or a proxy's name does not pass.
            passing=kind is not FailureKind.TLS and not isinstance(error, ValueError),
        )

    def _json(self, reply: _Reply) -> Any:
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError):
            # A gateway in front may answer so for a moment.
            error = self.malformed("JSON")
            error.passing = True
            raise error from None

    def _said(self, reply: _Reply) -> str:
        """The message of an error's body and of the errors in it, in one line."""
        try:
            value = json.loads(reply.body)
        except (ValueError, RecursionError):
            return ""
        if not isinstance(value, dict):
            return ""
        errors = value.get("errors")
        parts = [value, *(errors if isinstance(errors, list) else [])]
        texts = [part.get("message") if isinstance(part, dict) else part for part in parts]
        return self._clean("; ".join(text for text in texts if isinstance(text, str)))

    def _own(self, base: str, url: str) -> str:
        """Where an address in a reply leads to, if it is at the API's own host.

        It is put together anew, so that nobody can read another host in it than we do.
        """
        try:
            target = urljoin(base, url)
            own = _origin(target) == self._origin
        except ValueError:
            own = False
        if not own:
            raise self._error(
                f"GitHub's reply leads to another place: {self._clean(url)}",
                "the token goes nowhere else; see that GITHUB_API_URL is the server's own address",
            )
        parts = urlsplit(target)
        return urlsplit(self._base)._replace(path=parts.path, query=parts.query).geturl()

    def _error(self, message: str, hint: str = "", *, passing: bool = False) -> ApiError:
        return ApiError(self._redactor.text(message), hint, passing=passing)

    def _clean(self, text: str) -> str:
        """Text of others on one line, short, with no token and nothing invisible in it."""
        plain = "".join(character if character.isprintable() else " " for character in text)
        return clean(plain, self._redactor)[:_QUOTED]


def _origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address with nothing before its host.

    Raises:
        ValueError: it is no such address.
    """
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc:
        raise ValueError("no address of a server")
    return parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme]
