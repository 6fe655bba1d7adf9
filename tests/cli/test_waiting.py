"""Waiting for an endpoint that was just started."""

import contextlib
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from ragproof.cli.network import read_network
from ragproof.cli.waiting import wait_for
from ragproof.errors import EndpointError, UsageError


class Slow(BaseHTTPRequestHandler):
    """Is ready from the third question on."""

    asked = 0
    drip = False

    def do_GET(self) -> None:
        type(self).asked += 1
        if self.drip:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            with contextlib.suppress(OSError):
                for _ in range(100):
                    self.wfile.write(b"X-A: b\r\n")
                    time.sleep(0.1)
            return
        self.send_response(503 if self.asked < 3 else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def slow() -> Any:
    handler = type("Here", (Slow,), {})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def wait(url: str, seconds: float) -> None:
    wait_for(url, seconds, read_network(url))


def test_waits_until_it_is_ready(slow: Any, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{slow.server_port}/health"
    wait(url, 10)
    assert slow.RequestHandlerClass.asked == 3
    assert capsys.readouterr().err == f"waiting for {url}\n"


def test_says_what_was_wrong_last(slow: Any) -> None:
    slow.RequestHandlerClass.asked = -100
    with pytest.raises(EndpointError, match=r"not ready within 0.2 s: HTTP 503"):
        wait(f"http://127.0.0.1:{slow.server_port}/", 0.2)


def test_nobody_listens(slow: Any) -> None:
    slow.server_close()
    with pytest.raises(EndpointError, match=r"not ready within 0.1 s: the connection is refused"):
        wait(f"http://127.0.0.1:{slow.server_port}/", 0.1)


def test_a_drip_of_headers_ends(slow: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragproof.cli.waiting._CALL_S", 0.3)
    slow.RequestHandlerClass.drip = True
    started = time.monotonic()
    with pytest.raises(EndpointError, match="not ready within"):
        wait(f"http://127.0.0.1:{slow.server_port}/", 0.1)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("url", ["", "health", "ftp://a/", "http://", "http://[", "http://a:99999"])
def test_an_address_that_cannot_be(url: str) -> None:
    with pytest.raises(UsageError, match="no http or https address"):
        wait_for(url, 1, read_network())


def test_metadata_services_are_not_waited_for() -> None:
    with pytest.raises(EndpointError, match=r"never asked|not ready"):
        wait("http://169.254.169.254/", 0)


def test_run_waits_before_it_asks(ask: Callable[..., Any], server: Any) -> None:
    done = ask("--wait-for", f"{server.url}/health", "--wait-timeout", "5")
    assert done.code == 0
    assert done.err.index("waiting for") < done.err.index("asking 80 cases")
    done = ask("--wait-for", f"{server.url}/none", "--wait-timeout", "0")
    assert done.code == 2
    assert "HTTP 404" in done.err
    assert ask("--responses", "x.jsonl", "--wait-for", server.url).code == 3
