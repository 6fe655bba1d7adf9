"""The program that reads files which only a parser can read; see :mod:`ragproof.corpus.worker`.

It is started with the seconds and the bytes that it may take, and answers over the socket
that is its standard input.
"""

import contextlib
import importlib
import logging
import math
import re
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from ragproof.corpus.exchange import Message, receive, send
from ragproof.corpus.extracted import Extracted
from ragproof.corpus.unreadable import UnreadableError

READERS = {"html": "hypertext", "pdf": "pdffile", "docx": "wordfile"}
"""Where the function ``extract`` of a format stands."""

NEEDS_EXTRA = "needs libraries that are not installed: pip install 'ragproof-action[ingest]'"
_MOST_CHARACTERS = 20_000_000
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_GRACE_S = 5
_DEEPEST = 4_000


def main() -> None:
    """Answer until the other side ends."""
    timeout_s, memory_bytes = float(sys.argv[1]), int(sys.argv[2])
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    sys.setrecursionlimit(_DEEPEST)
    logging.disable()  # nobody reads what parsers have to say
    connection = socket.socket(fileno=0)
    while True:
        # We are killed from outside when our time is over; this is for when nobody is left to.
        signal.alarm(0)
        try:
            request = receive(connection)
        except EOFError:
            return
        signal.alarm(math.ceil(timeout_s) + _GRACE_S)
        send(connection, answer(request))


def answer(request: Message) -> Message:
    """Read a file: its format in the head, its bytes in the body."""
    try:
        found = _clean(_reader(request.head["format"])(request.body))
        return Message({"pages": found.pages, "warnings": found.warnings}, found.text.encode())
    except UnreadableError as error:
        return Message({"reason": _one_line(error.reason)})
    except ImportError:
        return Message({"reason": NEEDS_EXTRA})
    except MemoryError:
        return Message({"reason": "needs more memory to read than is allowed"})
    except RecursionError:
        return Message({"reason": "is nested too deeply to read"})
    except Exception as error:  # noqa: BLE001 - parsers raise whatever comes to their mind
        return Message({"reason": _one_line(f"cannot be read: {type(error).__name__}: {error}")})


def _reader(name: str) -> Callable[[bytes], Extracted]:
    module: Any = importlib.import_module(f"ragproof.corpus.{READERS[name]}")
    found: Callable[[bytes], Extracted] = module.extract
    return found


def _clean(found: Extracted) -> Extracted:
    """No NUL, no half of a surrogate pair; offsets of pages stay right."""
    if len(found.text) > _MOST_CHARACTERS:
        raise UnreadableError(f"holds more than {_MOST_CHARACTERS // 1_000_000} million characters")
    text = _HALF_PAIR.sub("\ufffd", found.text).replace("\0", "\ufffd").replace("\r", "\n")
    return found._replace(text=text, warnings=tuple(map(_one_line, found.warnings)))


def _one_line(text: str) -> str:
    flat = " ".join(_HALF_PAIR.sub("\ufffd", text).split())
    return flat if len(flat) <= 300 else flat[:300] + "..."


def _limit(which: int, most: int) -> None:
    with contextlib.suppress(OSError, ValueError):  # not every system has every limit
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(which, (most, most))


if __name__ == "__main__":
    main()
