"""Which files of a folder are read, and how the others are listed."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from unicodedata import normalize

import pytest

from ragproof.corpus.read import ReadSettings
from ragproof.corpus.regular import read_bytes
from ragproof.corpus.sources import list_files
from ragproof.corpus.unreadable import UnreadableError
from ragproof.errors import CorpusError, ExitCode


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}", "utf-8")


def ids(root: Path, **settings: object) -> list[str]:
    return [found.id for found in list_files(root, ReadSettings(**settings)).files]  # type: ignore[arg-type]


def reasons(root: Path, **settings: object) -> dict[str, str]:
    return dict(list_files(root, ReadSettings(**settings)).skipped)  # type: ignore[arg-type]


class TestFolder:
    def test_ids_are_paths_in_the_order_of_their_characters(self, tmp_path: Path) -> None:
        write(tmp_path, "b.md", "a/c.md", "a-b.md", "a.md", "B.md", "é.md", "a/b/d.md")
        assert ids(tmp_path) == ["B.md", "a-b.md", "a.md", "a/b/d.md", "a/c.md", "b.md", "é.md"]

    def test_hidden_and_noisy_things_are_listed_once(self, tmp_path: Path) -> None:
        write(tmp_path, "a.md", ".env", ".git/config", "node_modules/x/readme.md", "x.egg-info/a")
        write(tmp_path, "src/__pycache__/a.txt", "docs/.hidden.md", "__MACOSX/a.md")
        assert ids(tmp_path) == ["a.md"]
        assert list(reasons(tmp_path)) == [
            ".env",
            ".git/",
            "__MACOSX/",
            "docs/.hidden.md",
            "node_modules/",
            "src/__pycache__/",
            "x.egg-info/",
        ]

    def test_a_noisy_folder_that_is_named_itself_is_read(self, tmp_path: Path) -> None:
        write(tmp_path, "node_modules/a.md", ".docs/b.md")
        assert ids(tmp_path / "node_modules") == ["a.md"]
        assert ids(tmp_path / ".docs") == ["b.md"]

    def test_a_single_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, "docs/.gitignore", "docs/a.md")
        (tmp_path / "docs" / ".gitignore").write_text("*", "utf-8")
        assert ids(tmp_path / "docs" / "a.md") == ["a.md"]
        monkeypatch.chdir(tmp_path / "docs")
        assert ids(Path("a.md")) == ["a.md"]
        assert ids(Path()) == []

    @pytest.mark.parametrize("name", ["absent", "a\0b", "x" * 5_000])
    def test_no_such_corpus(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(CorpusError) as caught:
            list_files(tmp_path / name, ReadSettings())
        assert caught.value.exit_code == ExitCode.USAGE
        assert str(tmp_path) in caught.value.message

    def test_folders_that_lie_too_deep(self, tmp_path: Path) -> None:
        deep = tmp_path.joinpath(*["d"] * 205)
        deep.mkdir(parents=True)
        (deep / "a.md").write_text("x", "utf-8")
        assert ids(tmp_path) == []
        assert list(reasons(tmp_path).values()) == ["lies more than 200 folders deep"]


class TestPatterns:
    def test_include_and_exclude(self, tmp_path: Path) -> None:
        write(tmp_path, "a.md", "b.rst", "docs/c.md", "docs/old/d.md", "e.txt")
        assert ids(tmp_path, include=("*.md",)) == ["a.md", "docs/c.md", "docs/old/d.md"]
        assert ids(tmp_path, include=("docs/", "*.txt")) == ["docs/c.md", "docs/old/d.md", "e.txt"]
        assert ids(tmp_path, include=("*.md",), exclude=("old/",)) == ["a.md", "docs/c.md"]
        assert reasons(tmp_path, include=("*.md",), exclude=("old/",)) == {
            "b.rst": "matches no pattern of what to include",
            "e.txt": "matches no pattern of what to include",
            "docs/old/": "matches a pattern of what to exclude",
        }


class TestGitignore:
    def test_files_of_all_levels_count(self, tmp_path: Path) -> None:
        write(tmp_path, "a.log", "a.md", "keep.log", "build/x.md", "docs/a.md", "docs/b.md")
        (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/build/\n", "utf-8")
        (tmp_path / "docs" / ".gitignore").write_text("\ufeff/a.md\r\n!*.log\n", "utf-8")
        write(tmp_path, "docs/c.log", "docs/x/a.md")
        assert ids(tmp_path) == ["a.md", "docs/b.md", "docs/c.log", "docs/x/a.md", "keep.log"]
        assert reasons(tmp_path)["build/"] == "is ignored by .gitignore"
        assert len(ids(tmp_path, gitignore=False)) == 8

    def test_those_of_the_repository_above_count(self, tmp_path: Path) -> None:
        write(tmp_path, "r/.git/HEAD", "r/docs/a.md", "r/docs/_out/b.md", "r/docs/c.tmp")
        (tmp_path / ".gitignore").write_text("*.md\n", "utf-8")  # outside the repository
        (tmp_path / "r" / ".gitignore").write_text("docs/_out/\n*.tmp\n", "utf-8")
        assert ids(tmp_path / "r" / "docs") == ["a.md"]

    def test_without_a_repository_those_above_do_not_count(self, tmp_path: Path) -> None:
        write(tmp_path, "docs/a.md")
        (tmp_path / ".gitignore").write_text("*.md\n", "utf-8")
        assert ids(tmp_path / "docs") == ["a.md"]

    @pytest.mark.parametrize("pattern", ["/data/", "data/**", "data/*", "corpus"])
    def test_a_corpus_that_is_ignored_itself_is_read(self, tmp_path: Path, pattern: str) -> None:
        write(tmp_path, ".git/HEAD", "data/corpus/a.md", "data/corpus/b.tmp")
        (tmp_path / ".gitignore").write_text(f"{pattern}\n*.tmp\n", "utf-8")
        assert ids(tmp_path / "data" / "corpus") == ["a.md"]

    def test_names_in_another_normal_form_match(self, tmp_path: Path) -> None:
        write(tmp_path, normalize("NFD", "über.md"))
        (tmp_path / ".gitignore").write_text(normalize("NFC", "über.md"), "utf-8")
        assert ids(tmp_path) == []

    def test_one_that_cannot_count_is_told(self, tmp_path: Path) -> None:
        write(tmp_path, "a.md")
        (tmp_path / ".gitignore").write_text("x\n" * 6_000, "utf-8")
        assert reasons(tmp_path)[".gitignore"] == "does not count: it holds more than 5000 patterns"
        (tmp_path / ".gitignore").write_text("x" * 300_000, "utf-8")
        assert reasons(tmp_path)[".gitignore"].startswith("does not count: it is larger than")
        (tmp_path / ".gitignore").unlink()
        (tmp_path / ".gitignore").symlink_to("a.md")
        assert ids(tmp_path) == ["a.md"]
        assert ".gitignore" in reasons(tmp_path)


class TestNoRegularFiles:
    def test_links(self, tmp_path: Path) -> None:
        root = tmp_path / "root"
        write(tmp_path, "root/a.md", "root/sub/b.md", "out/secret.md", "root-2/c.md")
        (root / "to-file").symlink_to("a.md")
        (root / "to-folder").symlink_to("sub")
        (root / "out.md").symlink_to(tmp_path / "out" / "secret.md")
        (root / "out").symlink_to(tmp_path / "out")
        (root / "sibling").symlink_to(tmp_path / "root-2")
        (root / "nowhere.md").symlink_to("absent")
        (root / "self.md").symlink_to("self.md")
        (root / "sub" / "up").symlink_to("..")
        (root / "sub" / "here").symlink_to(".")
        assert ids(root) == ["a.md", "sub/b.md"]
        assert reasons(root) == {
            "nowhere.md": "is a link that leads nowhere",
            "out": "is a link that leads out of the corpus",
            "out.md": "is a link that leads out of the corpus",
            "self.md": "is a link that leads to itself",
            "sibling": "is a link that leads out of the corpus",
            "sub/here": "is a link to a folder that it lies in: a loop",
            "sub/up": "is a link to a folder that it lies in: a loop",
            "to-file": "is a link to a.md, which counts under its own name",
            "to-folder": "is a link to sub, which counts under its own name",
        }

    def test_a_root_that_is_a_link(self, tmp_path: Path) -> None:
        write(tmp_path, "real/a.md")
        (tmp_path / "real" / "b.md").symlink_to("a.md")
        (tmp_path / "link").symlink_to("real")
        assert ids(tmp_path / "link") == ["a.md"]
        assert reasons(tmp_path / "link") == {
            "b.md": "is a link to a.md, which counts under its own name"
        }

    def test_pipes_sockets_and_devices(self, tmp_path: Path) -> None:
        write(tmp_path, "a.md")
        os.mkfifo(tmp_path / "pipe.md")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(tmp_path / "socket.md"))
        expected = {
            "pipe.md": "is a pipe, not a regular file",
            "socket.md": "is a socket, not a regular file",
        }
        try:
            os.mknod(tmp_path / "device.md", 0o20666, os.makedev(1, 5))
            expected["device.md"] = "is a device, not a regular file"
        except PermissionError:
            pass
        assert ids(tmp_path) == ["a.md"]
        assert reasons(tmp_path) == expected

    def test_what_a_file_became_since_it_was_listed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.md"
        with pytest.raises(UnreadableError, match="was deleted while the corpus was read"):
            read_bytes(path, 10)
        os.mkfifo(path)
        with pytest.raises(UnreadableError, match="is a pipe"):
            read_bytes(path, 10)
        path.unlink()
        path.symlink_to("/etc/hostname")
        with pytest.raises(UnreadableError, match="became a link"):
            read_bytes(path, 10)
        path.unlink()
        path.write_bytes(b"x" * 11)
        with pytest.raises(UnreadableError, match="is larger than"):
            read_bytes(path, 10)
        path.write_bytes(b"x" * 10)
        assert read_bytes(path, 10) == b"x" * 10

    def test_what_may_not_be_read(self) -> None:
        """In a program of an ordinary user: root may read everything."""
        code = (
            "import os, sys; from pathlib import Path\n"
            "from ragproof.corpus.read import read_corpus\n"
            "os.geteuid() or os.seteuid(65534)\n"
            "corpus = read_corpus(Path(sys.argv[1]))\n"
            "print([each.id for each in corpus.documents], dict(corpus.skipped))"
        )
        with tempfile.TemporaryDirectory() as made:
            root = Path(made)
            root.chmod(0o755)  # pytest's own folders are closed to others
            write(root, "ok.md", "locked.md", "closed/a.md")
            (root / "locked.md").chmod(0)
            (root / "closed").chmod(0)
            done = subprocess.run(
                [sys.executable, "-c", code, root], capture_output=True, text=True, check=False
            )
            (root / "closed").chmod(0o755)
        reasons = {
            "closed/": "cannot be listed: Permission denied",
            "locked.md": "cannot be read: Permission denied",
        }
        assert done.stdout.strip() == f"{['ok.md']} {reasons}", done.stderr


class TestNames:
    def test_they_are_normalised(self, tmp_path: Path) -> None:
        write(tmp_path, normalize("NFD", "äö/ü.md"))
        assert ids(tmp_path) == [normalize("NFC", "äö/ü.md")]

    @pytest.mark.parametrize("inside", ["{}.md", "{}/a.md"])
    def test_of_two_that_become_one_the_other_is_told(self, tmp_path: Path, inside: str) -> None:
        composed, decomposed = (inside.format(normalize(form, "é")) for form in ("NFC", "NFD"))
        write(tmp_path, composed, decomposed)
        listing = list_files(tmp_path, ReadSettings())
        assert [(found.id, str(found.path.relative_to(tmp_path))) for found in listing.files] == [
            (composed, composed)
        ]
        (skipped,) = listing.skipped
        assert skipped.id == inside.format("e\\u0301")
        assert skipped.reason.startswith(f"has the same name as {composed} once Unicode is")

    def test_bytes_that_are_no_characters(self, tmp_path: Path) -> None:
        name = os.fsdecode(b"caf\xe9.md")
        try:
            (tmp_path / name).write_text("x", "utf-8")
        except OSError:
            pytest.skip("this file system knows no such names")
        assert ids(tmp_path) == ["caf\\xe9.md"]

    @pytest.mark.parametrize("name", ["new\nline.md", "a\\b.md", "tab\t.md", "\u202egnp.md"])
    def test_odd_characters_stay(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, name)
        assert ids(tmp_path) == [name]
