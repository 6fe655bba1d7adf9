"""Files that only a parser can read are read by a program of their own.

It may take its time and its memory and no more; where it hangs or breaks down, one file is
lost and the next one finds a new program. It is given no secret: its environment holds
nothing but what Python needs, and it cannot write files.
"""

import os
import socket
import subprocess
import sys
import time

from ragproof.corpus.exchange import Message, receive, send
from ragproof.corpus.extracted import Extracted
from ragproof.corpus.unreadable import UnreadableError

_NEEDED = ("PYTHON", "LD_LIBRARY_PATH", "DYLD_", "HOME", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")


class Worker:
    """A program that reads files; started when it is first needed.

    ``timeout_s`` is for one file, in seconds; ``memory_bytes`` for the whole program.
    """

    def __init__(self, timeout_s: float, memory_bytes: int) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def extract(self, name: str, raw: bytes) -> Extracted:
        """The text of a file of the format ``name``.

        Raises:
            UnreadableError: it cannot be read, or not within the limits.
        """
        deadline = time.monotonic() + self._timeout_s
        if self._process is not None and self._process.poll() is not None:
            self.close()  # it ended between two files; the next is not to blame
        try:
            connection = self._socket or self._start()
            send(connection, Message({"format": name}, raw), deadline)
            reply = receive(connection, deadline)
            text = reply.body.decode()
        except TimeoutError:
            self.close()
            raise UnreadableError(f"took more than {self._timeout_s:g} seconds to read") from None
        except (OSError, EOFError, ValueError):
            self.close()
            raise UnreadableError(
                "broke the program that read it, or needed more than"
                f" {self._memory_bytes / 1_000_000:.0f} MB of memory"
            ) from None
        except BaseException:
            self.close()
            raise
        if "reason" in reply.head:
            raise UnreadableError(str(reply.head["reason"]))
        return Extracted(text, tuple(reply.head["pages"]), tuple(reply.head["warnings"]))

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self._process.pid if self._process is not None else None

    def close(self) -> None:
        """End the program, whatever it is doing."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            # Neither the current folder nor, in isolated mode, variables may name the modules.
            isolation = "-I" if sys.flags.isolated else "-P"
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [
                    sys.executable,
                    *(isolation, "-m", "ragproof.corpus.extract"),
                    *(str(self._timeout_s), str(self._memory_bytes)),
                ],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name.startswith(_NEEDED)},
                start_new_session=True,  # Ctrl-C is for us to handle
            )
        self._socket = ours
        return ours
