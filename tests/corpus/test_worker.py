"""The program that reads files: what it may take, and what is lost when it breaks down."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import make_docx, make_pdf, paragraph

from ragproof.corpus.exchange import Message
from ragproof.corpus.extract import NEEDS_EXTRA, answer
from ragproof.corpus.unreadable import UnreadableError
from ragproof.corpus.worker import Worker

PAGE = b"<p>read"


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(timeout_s=60, memory_bytes=1 << 30)
    yield made
    made.close()


def running(worker: Worker) -> int:
    assert worker.extract("html", PAGE).text == "read\n"
    assert worker.pid is not None
    return worker.pid


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_one_program_reads_many_files(worker: Worker) -> None:
    pid = running(worker)
    assert worker.extract("pdf", make_pdf(["a page"])).pages == (0,)
    assert worker.extract("docx", make_docx(paragraph("words"))).text == "words\n"
    assert worker.pid == pid
    worker.close()
    assert gone(pid)


def test_a_file_that_is_refused_does_not_end_it(worker: Worker) -> None:
    pid = running(worker)
    for name in ("pdf", "docx"):
        with pytest.raises(UnreadableError):
            worker.extract(name, b"nonsense")
    assert worker.pid == pid


def test_a_program_that_hangs_loses_its_file_and_no_other() -> None:
    worker = Worker(timeout_s=60, memory_bytes=1 << 30)
    pid = running(worker)
    worker._timeout_s = 1
    os.kill(pid, signal.SIGSTOP)
    before = time.monotonic()
    with pytest.raises(UnreadableError, match="took more than 1 seconds to read"):
        worker.extract("html", b"x" * 4_000_000)
    assert time.monotonic() - before < 10
    assert gone(pid)
    worker._timeout_s = 60
    assert running(worker) != pid
    worker.close()


def test_a_program_that_breaks_down_loses_its_file_and_no_other(worker: Worker) -> None:
    pid = running(worker)
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(UnreadableError, match="broke the program that read it"):
        worker.extract("html", PAGE)
    assert running(worker) != pid


def test_a_program_that_ended_between_files_loses_none(worker: Worker) -> None:
    pid = running(worker)
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert running(worker) != pid


def test_it_ends_when_nobody_is_left_to_ask(worker: Worker, tmp_path: Path) -> None:
    code = (
        "import os, sys; from ragproof.corpus.worker import Worker;"
        "w = Worker(60, 1 << 30); w.extract('html', b'x'); print(w.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert gone(pid) or zombie(pid)


def zombie(pid: int) -> bool:
    """Nobody in a container may take leave of processes that lost their parent."""
    return ") Z " in Path(f"/proc/{pid}/stat").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "raw", "memory_bytes"),
    [
        ("html", b"<p>a" * 300_000, 80_000_000),
        ("docx", make_docx("<w:p/>" * 6_000_000), 300_000_000),
    ],
)
def test_memory_has_a_limit(name: str, raw: bytes, memory_bytes: int) -> None:
    worker = Worker(timeout_s=60, memory_bytes=memory_bytes)
    with pytest.raises(UnreadableError, match="needs more memory to read than is allowed"):
        worker.extract(name, raw)
    assert running(worker)
    worker.close()


def test_it_is_given_no_secret(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPROOF_TOKEN", "hunter2")
    pid = running(worker)
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"hunter2" not in environment


def test_modules_of_the_current_folder_are_not_imported(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "socket", "ragproof", "pypdf"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit", "utf-8")
    monkeypatch.chdir(tmp_path)
    running(worker)
    assert worker.extract("pdf", make_pdf(["a page"])).text == "a page"


@pytest.mark.parametrize(("name", "library"), [("pdf", "pypdf"), ("docx", "docx")])
def test_a_missing_library_names_what_to_install(
    name: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [each for each in sys.modules if each.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    for module in ("pdffile", "archive", "wordfile"):
        monkeypatch.delitem(sys.modules, f"ragproof.corpus.{module}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    reply = answer(Message({"format": name}, b"x"))
    assert reply.head == {"reason": NEEDS_EXTRA}
    assert "pip install 'ragproof-action[ingest]'" in NEEDS_EXTRA


def test_a_missing_cryptography_names_what_to_install(tmp_path: Path) -> None:
    hide = tmp_path / "cryptography.py"
    hide.write_text("raise ImportError(name='cryptography')", "utf-8")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
sys.modules['Crypto'] = sys.modules['Cryptodome'] = None
from ragproof.corpus.extract import answer
from ragproof.corpus.exchange import Message
print(answer(Message({{"format": "pdf"}}, sys.stdin.buffer.read())).head["reason"])
"""
    from test_pdf import encrypted

    done = subprocess.run(
        [sys.executable, "-c", code],
        input=encrypted(make_pdf(["x"]), "", "AES-256"),
        capture_output=True,
        check=False,
    )
    assert done.stdout.decode().strip() == NEEDS_EXTRA, done.stderr
