"""The local server as a program, as tests in other processes use it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from calling import BOT, HEAD, WRITING, api_at, marker
from hub import WRITER

from ragproof.github.comment import keep_comment
from ragproof.github.contents import read_base_file

START = {
    "repository": "acme/shop",
    "tokens": {WRITING: {"login": BOT, "permissions": WRITER}},
    "pulls": [{"number": 3, "head_sha": HEAD, "head_repository": "acme/shop"}],
    "comments": [{"number": 3, "login": "octocat", "body": "hello"}],
    "commits": {"b" * 40: {"a": "text", "b": {"base64": "AAE="}, "c": {"link": "b"}}},
}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Its address, and the file that it keeps its state in."""
    start, state = tmp_path / "start.json", tmp_path / "state.json"
    start.write_text(json.dumps(START), "utf-8")
    server = Path(__file__).parent / "server.py"
    command = [sys.executable, str(server), "--host", "0.0.0.0", "--start", str(start)]
    command += ["--state", str(state), "--page-size", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], state
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_the_program(program: tuple[str, Path], prefix: str) -> None:
    url, path = program
    api = api_at(url + prefix, repository="acme/shop")
    posted = keep_comment(api, 3, "**passed**", marker(), BOT, create=True)
    assert posted.url == "https://github.com/acme/shop/pull/3#issuecomment-2"
    for name, data in (("a", b"text"), ("b", b"\0\1"), ("c", b"\0\1")):
        assert read_base_file(api, name, "b" * 40, 10) == data
    state: dict[str, Any] = requests.get(f"{url}/_state", timeout=10).json()
    assert state == json.loads(path.read_text("utf-8"))
    assert [(one["login"], one["number"]) for one in state["comments"]] == [
        ("octocat", 3),
        (BOT, 3),
    ]
    assert state["comments"][1]["body"].endswith("-->\n**passed**")
    assert state["unknown"] == []
    assert [one["method"] for one in state["requests"]] == [
        "GET",
        "GET",
        "POST",
        "GET",
        "GET",
        "GET",
    ]
    assert WRITING not in path.read_text("utf-8")


def test_a_call_that_is_not_known(program: tuple[str, Path]) -> None:
    url, path = program
    headers = {"Authorization": f"Bearer {WRITING}", "X-GitHub-Api-Version": "2022-11-28"}
    for target in ("/repos/acme/shop/labels", "/repos/acme/shop/pulls?sort=created"):
        assert requests.get(url + target, headers=headers, timeout=10).status_code == 500
    unknown = json.loads(path.read_text("utf-8"))["unknown"]
    assert unknown == ["GET /repos/acme/shop/labels", "GET /repos/acme/shop/pulls?sort=created"]
