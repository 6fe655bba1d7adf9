"""Files of the base: found without a checkout, and nothing but files of the repository."""

from typing import Any

import pytest
from calling import READING, WRITING, Clock, api_of
from hub import Fault, Link, Token
from server import Server

from ragproof.github.api import ApiError
from ragproof.github.contents import read_base_file

BASE = "b" * 40
NAMES = ["a.json", "a b/ü.json", "a%20b", "a#b?c&d", "漢/😀.json", "...", ".hidden", "a\\b", "a+b"]


@pytest.fixture(autouse=True)
def commit(server: Server) -> None:
    server.github.commits[BASE] = {
        **{name: name.encode() for name in NAMES},
        "folder/one.json": b"{}",
        "inside": Link("a.json"),
        "outside": Link("/etc/passwd"),
        "above": Link("../../secret"),
        "empty": b"",
        "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_file(server: Server, name: str) -> None:
    assert read_base_file(api_of(server), name, BASE, 1000) == name.encode()
    [exchange] = server.github.exchanges
    assert exchange.request.query == {"ref": BASE}


def test_an_empty_file(server: Server) -> None:
    assert read_base_file(api_of(server), "empty", BASE, 1000) == b""


@pytest.mark.parametrize("size", [1, 1024 * 1024, 1024 * 1024 + 1, 5_000_000])
def test_small_and_large_files_to_the_limit(server: Server, size: int) -> None:
    data = bytes(index * 31 % 251 for index in range(1000)) * (size // 1000 + 1)
    server.github.commits[BASE]["big"] = data[:size]
    api = api_of(server)
    assert read_base_file(api, "big", BASE, size) == data[:size]
    assert len(server.github.calls()) == (1 if size <= 1024 * 1024 else 2)
    with pytest.raises(ApiError, match=rf"has {size:,} bytes; {size - 1:,} are read"):
        read_base_file(api, "big", BASE, size - 1)


def test_a_file_that_is_not_there(server: Server) -> None:
    assert read_base_file(api_of(server), "none.json", BASE, 1000) is None
    assert read_base_file(api_of(server), "folder/none.json", BASE, 1000) is None


def test_a_commit_that_is_not_there_is_an_error(server: Server) -> None:
    with pytest.raises(ApiError, match="No commit found for the ref") as caught:
        read_base_file(api_of(server), "a.json", "c" * 40, 1000)
    assert caught.value.status == 404


def test_a_link_within_the_repository_is_followed(server: Server) -> None:
    assert read_base_file(api_of(server), "inside", BASE, 1000) == b"a.json"


@pytest.mark.parametrize("name", ["outside", "above"])
def test_a_link_that_leads_out_is_refused(server: Server, name: str) -> None:
    with pytest.raises(ApiError, match="a link that leads to no file of the repository"):
        read_base_file(api_of(server), name, BASE, 1000)


def test_a_folder_is_refused(server: Server) -> None:
    with pytest.raises(ApiError, match="'folder' is a folder"):
        read_base_file(api_of(server), "folder", BASE, 1000)


def test_what_git_lfs_keeps_is_refused(server: Server) -> None:
    with pytest.raises(ApiError, match="kept in Git LFS"):
        read_base_file(api_of(server), "lfs", BASE, 1000)


@pytest.mark.parametrize(
    "path", ["", "/a.json", "a//b", "a/", ".", "..", "../a", "a/../b", "./a", "a/.", "a\0b", "/"]
)
def test_a_path_that_leads_elsewhere_is_not_asked_for(server: Server, path: str) -> None:
    with pytest.raises(ApiError, match="no path within the repository"):
        read_base_file(api_of(server), path, BASE, 1000)
    assert server.github.exchanges == []


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        5,
        {},
        {"type": "submodule", "size": 0},
        {"type": ["file"], "size": 1},
        {"type": "file"},
        {"type": "file", "size": True},
        {"type": "file", "size": "1"},
    ],
)
def test_replies_of_other_shapes(server: Server, body: Any) -> None:
    server.github.faults.append(Fault("GET", "/contents/.*", status=200, body=body))
    with pytest.raises(ApiError):
        read_base_file(api_of(server), "a.json", BASE, 1000)


@pytest.mark.parametrize(
    "more",
    [
        {"content": 5},
        {"content": "!!"},
        {"content": "YQ"},
        {"content": "YQ=="},
        {"encoding": "none"},
        {},
    ],
)
def test_a_reply_without_usable_content_leads_to_the_raw_file(
    server: Server, more: dict[str, Any]
) -> None:
    body = {"type": "file", "size": 6, "encoding": "base64", **more}
    server.github.faults.append(Fault("GET", "/contents/.*", status=200, body=body))
    assert read_base_file(api_of(server), "a.json", BASE, 1000) == b"a.json"


def test_a_file_that_turns_out_larger_than_its_entry_said(server: Server) -> None:
    body = {"type": "file", "size": 5}
    server.github.faults.append(Fault("GET", "/contents/.*", status=200, body=body))
    with pytest.raises(ApiError, match="larger than 5 bytes"):
        read_base_file(api_of(server), "a.json", BASE, 5)


def test_faults_are_retried(server: Server) -> None:
    server.github.faults.append(Fault("GET", "/contents/.*", status=502, times=2))
    clock = Clock()
    assert read_base_file(api_of(server, clock), "a.json", BASE, 1000) == b"a.json"
    assert len(clock.waits) == 2


def test_a_token_without_the_permission(server: Server) -> None:
    server.github.tokens[READING] = Token(permissions={"pull-requests": "write"})
    with pytest.raises(ApiError) as caught:
        read_base_file(api_of(server, token=READING), "a.json", BASE, 1000)
    assert "contents: read" in caught.value.hint
    assert WRITING not in caught.value.message
