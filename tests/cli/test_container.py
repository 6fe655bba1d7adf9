"""localhost inside a container."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.cli import container
from ragproof.cli.container import default_gateway, find_localhost, in_container
from ragproof.cli.network import read_network
from ragproof.endpoint.addresses import is_localhost
from ragproof.endpoint.transport import Network

NETWORK = Network({}, True)
ROUTES = (
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
    "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
)
GATEWAY = "127.0.0.2"
"""Stands for the gateway: another address of this machine, where others may listen."""


@pytest.fixture
def contained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As in a container whose default gateway is ``GATEWAY``."""
    mark, routes = tmp_path / ".dockerenv", tmp_path / "route"
    mark.touch()
    number = socket.inet_aton(GATEWAY)[::-1].hex().upper()
    routes.write_text(ROUTES.replace("010011AC", number))
    monkeypatch.setattr(container, "_MARKS", (mark,))
    monkeypatch.setattr(container, "_ROUTES", routes)
    return mark


class Handler(BaseHTTPRequestHandler):
    hosts: list[str | None]

    def do_POST(self) -> None:
        self.hosts.append(self.headers["Host"])
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"answer": "x", "chunks": [{"id": "x"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening(address: str) -> Iterator[tuple[int, list[str | None]]]:
    handler = type("Here", (Handler,), {"hosts": [], "protocol_version": "HTTP/1.1"})
    server = ThreadingHTTPServer((address, 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port, handler.hosts  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_default_gateway_is_read_from_the_table_of_routes() -> None:
    assert default_gateway(ROUTES) == "172.17.0.1"
    assert default_gateway(ROUTES.replace("0003", "0001")) == ""
    assert default_gateway("") == ""


@given(st.text())
def test_no_table_of_routes_is_too_odd(text: str) -> None:
    assert isinstance(default_gateway(f"Iface\n{text}\n{ROUTES}"), str)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("api.localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("notlocalhost", False),
        ("localhost.example.com", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_which_names_mean_this_machine(host: str, local: bool) -> None:
    assert is_localhost(host) is local


def test_localhost_is_looked_for_at_the_gateway_only_where_it_refuses(contained: Path) -> None:
    with listening(GATEWAY) as (port, _):
        for host in ("localhost", "127.0.0.1"):
            assert find_localhost([f"http://{host}:{port}/ask"], NETWORK) == GATEWAY
        assert find_localhost([f"https://localhost:{port}/"], NETWORK) == "", "not over TLS"
        assert find_localhost([f"http://127.0.0.2.example:{port}/"], NETWORK) == ""
        proxied = Network({"http://localhost": "http://proxy.test:3128"}, True)
        assert find_localhost([f"http://localhost:{port}/"], proxied) == ""
        contained.unlink()
        assert find_localhost([f"http://localhost:{port}/"], NETWORK) == "", "no container"
    with listening("127.0.0.1") as (port, _):
        assert find_localhost([f"http://localhost:{port}/"], NETWORK) == ""


def test_neither_answers(contained: Path) -> None:
    with listening(GATEWAY) as (port, _):
        pass
    assert find_localhost([f"http://localhost:{port}/"], NETWORK) == ""


def test_where_this_process_runs() -> None:
    assert in_container() is any(
        Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")
    )


def test_a_run_asks_the_gateway_as_localhost(
    contained: Path, ragproof: Callable[..., Any], cases: Callable[..., Path]
) -> None:
    dataset = cases({}, {}, {})
    with listening(GATEWAY) as (port, hosts):
        done = ragproof(
            "run", "--dataset", dataset, "--endpoint", f"http://localhost:{port}/", "--no-gate"
        )
    assert f"asking its default gateway {GATEWAY}" in done.err
    assert done.code == 0
    assert hosts == [f"localhost:{port}"] * 3


def test_ways_that_work_are_named_where_none_did(
    contained: Path, ragproof: Callable[..., Any], cases: Callable[..., Path]
) -> None:
    with listening(GATEWAY) as (port, _):
        pass
    arguments = ("run", "--dataset", cases({}), "--endpoint", f"http://localhost:{port}/")
    done = ragproof(*arguments, "--no-gate")
    assert done.code == 2
    for words in ("0.0.0.0", "http://LABEL:PORT", "an address of its own"):
        assert words in done.err
    contained.unlink()
    assert "LABEL" not in ragproof(*arguments, "--no-gate").err


def test_no_forbidden_address_through_the_gateway(
    contained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = contained.with_name("route")
    number = socket.inet_aton("169.254.169.254")[::-1].hex().upper()
    routes.write_text(ROUTES.replace("010011AC", number))
    monkeypatch.setattr(container, "_refuses", lambda host, port: host != "169.254.169.254")
    assert find_localhost(["http://localhost:9/"], read_network("http://localhost:9/")) == ""
