"""``localhost`` inside a container, which is not the machine that the container runs on."""

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from ragproof.endpoint.addresses import is_forbidden, is_localhost
from ragproof.endpoint.transport import Network

_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_ROUTES = Path("/proc/net/route")
_GATEWAY_FLAG = 0x2
_PROBE_S = 2.0

ADVICE = (
    "localhost is the container that ragproof runs in. An endpoint is reached there when it"
    " (1) listens on 0.0.0.0 on the machine that runs the container, not on 127.0.0.1 only;"
    " (2) is a service container: ask for its label, as in http://LABEL:PORT;"
    " (3) has an address of its own, such as that of a preview deployment."
)


def find_localhost(urls: list[str], network: Network) -> str:
    """The container's default gateway, where the endpoint at localhost answers only there.

    ``""``: there is no need of it, or no use. Nothing is sent; a connection is opened and closed.
    """
    places = list(_local_places(urls, network))
    if not places or not in_container():
        return ""
    gateway = default_gateway(_read(_ROUTES))
    if not gateway or is_forbidden(gateway):
        return ""
    refused_here = all(_refuses(host, port) for host, port in places)
    answers_there = refused_here and not any(_refuses(gateway, port) for _, port in places)
    return gateway if answers_there else ""


def advice(urls: list[str], network: Network) -> str:
    """What to do when an endpoint at localhost cannot be reached from a container, else ``""``."""
    return ADVICE if in_container() and any(_local_places(urls, network)) else ""


def in_container() -> bool:
    """Whether this process runs in a container of Docker or Podman."""
    return any(mark.exists() for mark in _MARKS)


def default_gateway(routes: str) -> str:
    """The gateway of the default route in the words of ``/proc/net/route``; ``""`` without one.

    There addresses are hexadecimal, in the byte order of the machine (proc(5)).
    """
    for line in routes.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 3 and fields[1] == "00000000" and int(fields[3], 16) & _GATEWAY_FLAG:
            return socket.inet_ntoa(bytes.fromhex(fields[2])[::-1])
    return ""


def _local_places(urls: list[str], network: Network) -> Iterator[tuple[str, int]]:
    """Host and port of what is asked at localhost, without TLS and without a proxy."""
    for url in urls:
        try:
            parts = urlsplit(url)
            port = parts.port or 80
        except ValueError:
            continue  # said where requests are compiled
        host = parts.hostname or ""
        proxied = f"http://{host}" in network.proxies
        if parts.scheme == "http" and is_localhost(host) and not proxied:
            yield host, port


def _refuses(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), _PROBE_S).close()
    except OSError:
        return True
    return False


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
