"""The client under test, with a clock that waits take no time of."""

import time
from typing import Any

import requests
from server import Server

from ragproof.github.api import Api
from ragproof.github.marker import Marker

HEAD = "a" * 40
WRITING = "ghs_writing+token/0123456789"
READING = "ghs_reading+token/0123456789"
BOT = "github-actions[bot]"


class Clock:
    """Time as it passes, and the waits that were asked for on top."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def monotonic(self) -> float:
        return time.monotonic() + sum(self.waits)

    def wall(self) -> float:
        return time.time() + sum(self.waits)


def api_at(url: str, clock: Clock | None = None, token: str = WRITING, **settings: Any) -> Api:
    """A client of the API at an address."""
    clock = clock or Clock()
    session = requests.Session()
    session.trust_env = False
    repository = settings.pop("repository", "octo-org/octo-repo")
    settings = {
        "sleep": clock.sleep,
        "clock": clock.monotonic,
        "wall": clock.wall,
        "timeout_s": 5.0,
        **settings,
    }
    return Api(url, repository, token, session=session, **settings)


def api_of(server: Server, clock: Clock | None = None, token: str = WRITING, **more: Any) -> Api:
    """A client of a server that lives by the same clock."""
    clock = clock or Clock()
    server.github.wall = clock.wall
    return api_at(server.url, clock, token, **more)


def marker(run_id: int = 7, attempt: int = 1, key: str = "gate", head: str = HEAD) -> Marker:
    return Marker(key, head, run_id, attempt)
