"""Messages between us and the program that reads files: a head in JSON and a body of bytes."""

import json
import socket
import struct
import time
from typing import Any, NamedTuple

_LENGTHS = struct.Struct(">QQ")
_LONGEST = 300_000_000


class Message(NamedTuple):
    """What goes over the socket at once."""

    head: dict[str, Any]
    body: bytes = b""


def send(connection: socket.socket, message: Message, deadline: float | None = None) -> None:
    """Send a message; ``deadline`` as :func:`time.monotonic` counts.

    Raises:
        OSError: the other side is gone, or (``TimeoutError``) too slow.
    """
    head = json.dumps(message.head).encode()
    connection.settimeout(_left(deadline))
    connection.sendall(_LENGTHS.pack(len(head), len(message.body)) + head + message.body)


def receive(connection: socket.socket, deadline: float | None = None) -> Message:
    """Wait for a message.

    Raises:
        EOFError: the other side ended.
        OSError: as of :func:`send`.
        ValueError: it is no message.
    """
    head, body = _LENGTHS.unpack(_bytes(connection, _LENGTHS.size, deadline))
    if head + body > _LONGEST:
        raise ValueError("a message of this length cannot be")
    parsed = json.loads(_bytes(connection, head, deadline))
    if not isinstance(parsed, dict):
        raise ValueError("the head of a message is an object")
    return Message(parsed, _bytes(connection, body, deadline))


def _bytes(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    found = bytearray()
    while len(found) < count:
        connection.settimeout(_left(deadline))
        part = connection.recv(min(count - len(found), 1 << 20))
        if not part:
            raise EOFError
        found += part
    return bytes(found)


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
