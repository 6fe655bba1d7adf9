"""Tests of this folder talk to a server that keeps GitHub's rules."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS / name) for name in ("github", "faults", "llm")]

from calling import HEAD, READING, WRITING  # noqa: E402 - they stand in this folder
from contract import Description, fetch_description  # noqa: E402
from hub import READER, Github, Pull, Token  # noqa: E402
from server import Server  # noqa: E402


@pytest.fixture(scope="session")
def description() -> Description | str:
    """GitHub's own description of its API, or why it cannot be had."""
    return fetch_description()


@pytest.fixture
def github() -> Github:
    """A repository with one pull request, number 1."""
    github = Github()
    github.tokens = {WRITING: Token(), READING: Token(permissions=READER)}
    github.pulls[1] = Pull(1, HEAD)
    return github


@pytest.fixture
def server(github: Github, description: Description | str) -> Iterator[Server]:
    """That repository on a port. All calls and replies must be as GitHub describes them."""
    with Server(github) as server:
        yield server
    assert github.unknown == []
    if isinstance(description, Description):
        for exchange in github.exchanges:
            description.check(exchange)
