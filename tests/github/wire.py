"""A call and a reply of GitHub's, as the local server sees them."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Request(NamedTuple):
    """A call: ``path`` without query and prefix, decoded nowhere; header names in lower case."""

    method: str
    target: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Reply(NamedTuple):
    status: int
    body: Any
    headers: Mapping[str, str] = {}


def error(status: int, message: str, errors: list[Any] | None = None) -> Reply:
    """An error as GitHub words it."""
    body: dict[str, Any] = {"message": message}
    if errors is not None:
        body["errors"] = errors
    body |= {"documentation_url": "https://docs.github.com/rest", "status": str(status)}
    return Reply(status, body)


def api_url(request: Request) -> str:
    """The address of the API by which a call came."""
    prefix = request.target[: request.target.index(request.path)]
    return f"http://{request.headers['host']}{prefix}"
