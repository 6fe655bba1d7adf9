"""Files are read whole or not at all, and written whole or not at all."""

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ragproof.errors import DatasetError, StorageError
from ragproof.files import (
    give_to_owner_of,
    make_folder,
    open_regular,
    read_text,
    replacing,
    within,
    write_text,
)


def read(path: Path, limit: int = 1000) -> str:
    return read_text(path, "dataset", limit, DatasetError)


def listing(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_reads_utf_8_with_and_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for start in ("", "\ufeff"):
        path.write_text(f"{start}é\r\n", encoding="utf-8", newline="")
        assert read(path) == "é\r\n"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"a\nb\n\xff", ":3: dataset is not UTF-8"),
        ("é".encode("utf-16"), ":1: dataset is not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
        (b"x" * 1001, "is larger than"),
    ],
)
def test_says_why_a_file_cannot_be_used(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(raw)
    with pytest.raises(DatasetError, match=message) as caught:
        read(path)
    assert str(path) in caught.value.message


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (tmp_path, fifo, Path("/dev/null"), Path("/dev/zero")):
        with pytest.raises(DatasetError, match="cannot be read: it is not a regular file"):
            read(path)
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(path)


@pytest.mark.parametrize("name", ["missing", "n" * 300, "a/b/c", "nul\0inside", "half\ud800"])
def test_a_path_that_leads_nowhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError):
        read(tmp_path / name)


def test_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with pytest.raises(DatasetError, match="cannot be read"):
        read(tmp_path / "a")
    with pytest.raises(StorageError, match="cannot write"):
        write_text(tmp_path / "a", "x")


def test_writing_replaces_and_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_text(path, "old")
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_umask()
    path.chmod(0o640)
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert listing(tmp_path) == ["a"]


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("one", "two"):
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert listing(folder) == ["target"]


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_text(path, "x")
    assert path.read_text() == "x"


def test_nothing_but_a_regular_file_is_replaced(tmp_path: Path) -> None:
    """A pipe stands for the devices, which a fault here would do away with for everybody."""
    fifo, folder, link = tmp_path / "fifo", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(fifo)
    folder.mkdir()
    link.symlink_to(fifo)
    for path in (fifo, folder, link):
        with pytest.raises(StorageError, match="it is not a regular file"):
            write_text(path, "x")
    assert listing(tmp_path) == ["fifo", "folder", "link"]
    assert fifo.is_fifo()
    assert link.is_symlink()


def test_a_file_that_is_open_but_deleted_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("w") as file:
        path.unlink()
        with pytest.raises(StorageError, match="it is not a regular file"):
            write_text(Path(f"/proc/self/fd/{file.fileno()}"), "x")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_the_old_file_stays_when_writing_ends_early(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def write() -> None:
        with replacing(path) as file:
            file.write("half")
            raise error

    with pytest.raises(StorageError if error is OSError else error):
        write()
    assert path.read_text() == "old"
    assert listing(tmp_path) == ["a"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    code = (
        "import sys; from pathlib import Path; from ragproof.files import write_text;"
        "from ragproof.errors import StorageError\n"
        "try: write_text(Path(sys.argv[1]), 'x' * 100_000)\n"
        "except StorageError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"cannot write {path}: File too large\n"
    assert path.read_text() == "old"
    assert listing(tmp_path) == ["a"]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = ["x" * 50_000, "y" * 50_000]
    write_text(path, contents[0])
    stop = threading.Event()
    seen = set()

    def look() -> None:
        while not stop.is_set():
            seen.add(path.read_text())

    thread = threading.Thread(target=look)
    thread.start()
    for number in range(50):
        write_text(path, contents[number % 2])
    stop.set()
    thread.join()
    assert seen <= set(contents)


def test_folders(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        with pytest.raises(StorageError, match="cannot write"):
            make_folder(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_belongs_to_whom_the_folder_belongs(tmp_path: Path) -> None:
    os.chown(tmp_path, 1001, 1002)
    make_folder(tmp_path / "a" / "b")
    write_text(tmp_path / "a" / "b" / "new", "x")
    old = tmp_path / "a" / "old"
    old.write_text("x")
    os.chown(old, 1003, 1004)
    write_text(old, "y")
    owners = {path.name: path.stat() for path in tmp_path.rglob("*")}
    assert {name: (one.st_uid, one.st_gid) for name, one in owners.items()} == {
        "a": (1001, 1002),
        "b": (1001, 1002),
        "new": (1001, 1002),
        "old": (1003, 1004),
    }


def test_what_cannot_be_given_away_is_kept(tmp_path: Path) -> None:
    give_to_owner_of(tmp_path / "none", tmp_path)
    assert tmp_path.stat().st_uid == os.geteuid()


def test_where_a_file_stands_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("/")
    assert within(Path("a/../b/c"), tmp_path) == "b/c"
    assert within(tmp_path / "b", tmp_path) == "b"
    assert within(Path("link/etc"), tmp_path) == "link/etc"
    assert within(Path("../b"), tmp_path) is None
    assert within(Path(f"{tmp_path}-other/b"), tmp_path) is None
