"""What all providers' interfaces have in common."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from ragproof.llm.settings import ModelSettings

MAX_COUNT = 10**12


class Finish(StrEnum):
    """How a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    """At the limit of tokens: the text is cut off."""
    REFUSED = "refused"
    """By the model's refusal or a filter's."""


class Reply(NamedTuple):
    """What a model said. Tokens are ``None`` where the provider does not count them;
    ``detail`` says of a refusal what the provider calls it."""

    text: str
    finish: Finish = Finish.STOP
    tokens_in: int | None = None
    tokens_out: int | None = None
    detail: str = ""


class Dialect(NamedTuple):
    """Where servers of one interface differ, learnt from what they reject.

    ``limit`` is what the limit of tokens is called.
    """

    limit: str = "max_tokens"
    temperature: bool = True
    seed: bool = True


class Call(NamedTuple):
    """A request that asks a model; its key stands in ``headers``."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]


class ShapeError(ValueError):
    """A body that is not what the interface promises; quotes none of it."""


class ReportedError(ValueError):
    """A body that came as a success and is an error; :mod:`~ragproof.llm.rejections` reads it.

    ``status`` is the HTTP status that it should have had.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"an error with status {status}")
        self.status = status


class Interface(NamedTuple):
    """One provider's interface.

    ``dialect`` is the one to begin with; ``read`` raises ShapeError or ReportedError.
    """

    dialect: Callable[[ModelSettings], Dialect]
    build: Callable[[ModelSettings, Dialect, str], Call]
    read: Callable[[Any], Reply]


def mapping(value: Any, what: str) -> dict[str, Any]:
    """``value``, if it is an object.

    Raises:
        ShapeError: it is not.
    """
    if not isinstance(value, dict):
        raise ShapeError(f"{what} is no object")
    return value


def count(value: Any) -> int | None:
    """A number of tokens; ``None`` where it is missing or cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_COUNT:
        return None
    return value


def under(base_url: str, version: str, path: str) -> str:
    """The address of ``path``, where the base may end with the version, the path or neither.

    >>> under("http://localhost:8000", "v1", "chat/completions")
    'http://localhost:8000/v1/chat/completions'
    """
    base = base_url.rstrip("/")
    if base.endswith(f"/{path}"):
        return base
    # After the host alone no server has its interface; a longer path is meant as it is.
    bare = base.count("/") == 2
    return f"{base}/{version}/{path}" if bare else f"{base}/{path}"
