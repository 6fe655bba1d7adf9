"""Patterns as in .gitignore; git itself says what they mean."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragproof.corpus.ignore import parse_patterns, verdict, verdict_within


def ignored(lines: list[str], path: str) -> bool:
    """As git has it: nothing is taken back inside an ignored folder."""
    patterns, parts = parse_patterns(lines), tuple(path.split("/"))
    return any(
        verdict(patterns, parts[:depth], folder=depth < len(parts))
        for depth in range(1, len(parts) + 1)
    )


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.log", ["a.log", "x/y/a.log", "x.log/a"], ["a.logs", "log"]),
        ("build/", ["build/a", "x/build/a"], ["build"]),
        ("/build", ["build", "build/a"], ["x/build"]),
        ("doc/*.txt", ["doc/a.txt"], ["doc/x/a.txt", "x/doc/a.txt"]),
        ("doc/**/*.txt", ["doc/a.txt", "doc/x/y/a.txt"], ["a.txt"]),
        ("**/tmp", ["tmp", "a/tmp", "a/b/tmp/c"], ["tmps"]),
        ("a/**", ["a/b", "a/b/c"], ["a"]),
        ("a/**/b", ["a/b", "a/x/y/b"], ["ab", "a/x"]),
        ("a?c", ["abc"], ["ac", "abbc"]),
        ("[a-c]x[!0-9]", ["bxy"], ["bx1", "dxy"]),
        ("[[:digit:]]", ["7"], ["a"]),
        ("\\#a", ["#a"], ["a"]),
        ("\\!a", ["!a"], ["a"]),
        ("a\\ ", ["a "], ["a"]),
        ("a  ", ["a"], ["a  "]),
        ("*", ["a", "b/c"], []),
        ("ä.md", ["a\u0308.md".encode().decode()], []),
        ("", [], ["a"]),
        ("# x", [], ["# x"]),
        ("[", [], ["[", "a"]),
        ("[z-a]", [], ["z", "a", "-"]),
        ("a\\", [], ["a", "a\\"]),
    ],
)
def test_what_patterns_mean(pattern: str, yes: list[str], no: list[str]) -> None:
    from unicodedata import normalize

    for path in yes:
        assert ignored([pattern], normalize("NFC", path)), path
    for path in no:
        assert not ignored([pattern], path), path


def test_the_last_pattern_decides() -> None:
    assert ignored(["*.md", "!a.md"], "b.md")
    assert not ignored(["*.md", "!a.md"], "a.md")
    assert ignored(["!a.md", "*.md"], "a.md")


def test_what_is_included_lies_anywhere_below() -> None:
    patterns = parse_patterns(["docs/", "*.rst", "!old.rst"])
    assert verdict_within(patterns, ("docs", "x", "a.md"))
    assert verdict_within(patterns, ("y", "a.rst"))
    assert not verdict_within(patterns, ("old.rst",))
    assert not verdict_within(patterns, ("y", "a.md"))


# Stars beside others are one star each, says the manual; what git makes of "a**/**" is not in it.
PIECES = ["a", "b", "*", "?", "[a-b]", "[!a]", "[^b]", "-", ".", "#", " ", "[[:alpha:]]"]
PIECES += ["[]a]", "[a-]", "\\a", "\\*", "A"]
part = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
pattern = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "", "/", "!", "!/", "**/"]),
    st.lists(part | st.just("**"), min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/*"]),
)
names = st.sampled_from(["a", "b", "ab", "ba", "a.b", "a-b", "*", "A", "a b", "]", "#a", "!a"])
paths = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=5, max_size=15)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("no git to compare with")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(pattern, min_size=1, max_size=3), tried=paths)
def test_git_says_the_same(repository: Path, lines: list[str], tried: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    done = subprocess.run(
        [
            "git",
            "-c",
            "core.excludesFile=",
            "-c",
            "core.ignoreCase=false",
            "check-ignore",
            "--no-index",
            "-z",
            "--stdin",
        ],
        cwd=repository,
        input="\0".join(tried) + "\0",
        capture_output=True,
        text=True,
        check=False,
    )
    theirs = set(done.stdout.split("\0")) - {""}
    assert {path for path in tried if ignored(lines, path)} == theirs & set(tried)


@given(st.lists(st.text(max_size=20)), st.lists(st.text(min_size=1), min_size=1))
def test_nothing_raises(lines: list[str], path: list[str]) -> None:
    verdict(parse_patterns(lines), tuple(path), folder=False)


@pytest.mark.parametrize(
    "hostile", ["*a" * 30 + "b", "**/a/" * 30 + "b", "[" * 5_000, "?*" * 60 + "b", "a/**/" * 30]
)
def test_no_pattern_takes_for_ever(hostile: str) -> None:
    patterns = parse_patterns([hostile])
    before = time.process_time()
    for path in (("a" * 250,), ("a",) * 200):
        for _ in range(20):
            verdict(patterns, path, folder=False)
    assert time.process_time() - before < 2
