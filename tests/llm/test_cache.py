"""Replies that are kept."""

import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prompting import KEY, make_settings

from ragproof.llm.cache import ReplyCache, cache_folder, cache_key
from ragproof.llm.providers.wire import Finish, Reply
from ragproof.llm.settings import Provider

NAME = "ab" + "0" * 62
COUNTS = st.none() | st.integers(0, 10**12)
REPLIES = st.builds(Reply, st.text(), st.sampled_from(Finish), COUNTS, COUNTS, st.text(max_size=20))
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@SAME_FOLDER
@given(reply=REPLIES)
def test_what_is_kept_comes_back(tmp_path: Path, reply: Reply) -> None:
    ReplyCache(tmp_path).put(NAME, reply)
    assert ReplyCache(tmp_path).get(NAME) == reply


@SAME_FOLDER
@given(reply=REPLIES, data=st.data())
def test_a_damaged_file_is_never_another_reply(
    tmp_path: Path, reply: Reply, data: st.DataObject
) -> None:
    cache = ReplyCache(tmp_path)
    cache.put(NAME, reply)
    raw = cache.path(NAME).read_bytes()
    cut = data.draw(st.integers(0, len(raw) - 2))  # the line break at the end says nothing
    cache.path(NAME).write_bytes(raw[:cut])
    assert cache.get(NAME) is None


@pytest.mark.parametrize(
    "change",
    [
        {"text": "other"},
        {"key": "cd" + "0" * 62},
        {"finish": "unheard of"},
        {"text": None},
        {"detail": 3},
        {"sha256": None},
    ],
)
def test_a_changed_entry_is_not_there(tmp_path: Path, change: dict[str, Any]) -> None:
    cache = ReplyCache(tmp_path)
    cache.put(NAME, Reply("yes"))
    path = cache.path(NAME)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert cache.get(NAME) is None


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"\xff", b"{}", b"0" * 10])
def test_what_is_no_entry_is_not_there(tmp_path: Path, raw: bytes) -> None:
    cache = ReplyCache(tmp_path)
    cache.put(NAME, Reply("yes"))
    cache.path(NAME).write_bytes(raw)
    assert cache.get(NAME) is None
    cache.put(NAME, Reply("again"))
    assert cache.get(NAME) == Reply("again")


def test_only_the_user_reads_them_and_nothing_is_left_behind(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "new")
    cache.put(NAME, Reply("yes"))
    path = cache.path(NAME)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert list(path.parent.iterdir()) == [path]


def test_many_writers_leave_one_whole_reply(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    texts = [str(index) * 10_000 for index in range(8)]
    threads = [threading.Thread(target=cache.put, args=(NAME, Reply(text))) for text in texts * 4]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        found = cache.get(NAME)
        assert found is None or found.text in texts
    for thread in threads:
        thread.join()
    found = cache.get(NAME)
    assert found is not None
    assert found.text in texts


def test_a_folder_that_cannot_be_made_is_a_problem_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file")
    cache.put(NAME, Reply("yes"))
    assert str(tmp_path / "file") in cache.problem
    assert cache.get(NAME) is None


BASE = make_settings("http://h/v1", key=KEY, seed=1)


@pytest.mark.parametrize(
    "change",
    [
        {"provider": Provider.OPENROUTER},
        {"model": "other"},
        {"base_url": "http://other/v1"},
        {"temperature": None},
        {"temperature": 0.5},
        {"seed": None},
        {"max_tokens": 7},
    ],
    ids=str,
)
def test_what_decides_about_a_reply_is_in_its_name(change: dict[str, Any]) -> None:
    assert cache_key(dataclasses.replace(BASE, **change), "p") != cache_key(BASE, "p")
    assert cache_key(BASE, "other") != cache_key(BASE, "p")


@pytest.mark.parametrize(
    "change", [{"key": None}, {"concurrency": 3}, {"timeout": 1.0}, {"budget_tokens": 5}], ids=str
)
def test_what_does_not_is_not(change: dict[str, Any]) -> None:
    assert cache_key(dataclasses.replace(BASE, **change), "p") == cache_key(BASE, "p")


@given(st.text(), st.text())
def test_other_prompts_have_other_names(one: str, other: str) -> None:
    assert (cache_key(BASE, one) == cache_key(BASE, other)) == (one == other)


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/ragproof/replies"),
        ({"HOME": "/h"}, "/h/.cache/ragproof/replies"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/ragproof/replies"),
        ({}, None),
    ],
)
def test_where_they_are_kept(environ: dict[str, str], folder: str | None) -> None:
    assert cache_folder(environ) == (None if folder is None else Path(folder))
