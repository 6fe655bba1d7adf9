"""Starting real servers from scripts outside the repository."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

START_S = 600
STOP_S = 10


@contextmanager
def started(script: Path, root: Path, environment: dict[str, str], **more: str) -> Iterator[int]:
    """Start a server, installing it first if need be; stop what was started.

    ``more`` are variables that its script understands.
    """
    root.mkdir(exist_ok=True)
    port, stub_port = free_ports(2)
    pids = {root / "server.pid": port, root / "stub.pid": stub_port}
    for file in pids:
        file.unlink(missing_ok=True)
    ports = {"PORT": str(port), "STUB_PORT": str(stub_port)}
    try:
        done = subprocess.run(
            ["bash", str(script)],
            env={**environment, **ports, **more, "ROOT": str(root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=START_S,
            check=False,
        )
        if done.returncode != 0 and not (root / "server.pid").exists():
            # A half-made environment would count as installed next time.
            shutil.rmtree(root / "venv", ignore_errors=True)
            pytest.skip(f"{root.name} cannot be installed: {done.stdout[-500:]}")
        assert done.returncode == 0, done.stdout
        yield port
    finally:
        for file, listening in pids.items():
            if file.exists():
                stop(int(file.read_text()), listening)


def free_ports(number: int) -> list[int]:
    with ExitStack() as open_sockets:
        bound = [open_sockets.enter_context(socket.socket()) for _ in range(number)]
        for one in bound:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in bound]


def stop(pid: int, port: int) -> None:
    """End the process; gone is when nobody listens, as nobody may be there to reap it."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        until = time.monotonic() + STOP_S
        while listens(port) and time.monotonic() < until:
            time.sleep(0.05)
        if listens(port):
            os.kill(pid, signal.SIGKILL)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
