"""Certificates, proxies, redirects and what the environment may not add."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import SelfSigned, self_signed
from faultserver import FaultServer, Request, Wire, answering, closed_port, reply
from proxyserver import ProxyServer
from running import GOOD, run

Capture = pytest.CaptureFixture[str]
TOKEN = "s3cr3t-t0k3n"
AUTHORIZED = {"Authorization": "Bearer ${RAGPROOF_TOKEN}"}


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPROOF_TOKEN", TOKEN)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> SelfSigned:
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def secure(certificate: SelfSigned) -> Iterator[FaultServer]:
    with FaultServer({"/q": answering(reply(GOOD))}, certificate.context) as server:
        yield server


@pytest.fixture
def plain() -> Iterator[FaultServer]:
    with FaultServer({"/q": answering(reply(GOOD))}) as server:
        yield server


# TLS


def test_an_unknown_certificate_is_refused(
    secure: FaultServer, tmp_path: Path, capsys: Capture
) -> None:
    ran = run(tmp_path, capsys, f"{secure.url}/q", headers=AUTHORIZED)
    assert ran.code == 2
    assert ran.failure["kind"] == "tls"
    assert "endpoint.ca_file" in ran.failure["message"]
    assert secure.requests == []
    assert "Traceback (most" not in ran.err


def test_a_certificate_of_the_configured_authority_is_taken(
    secure: FaultServer, certificate: SelfSigned, tmp_path: Path, capsys: Capture
) -> None:
    ran = run(tmp_path, capsys, f"{secure.url}/q", ca_file=str(certificate.ca_file))
    assert ran.code == 0, ran.err
    assert len(secure.requests) == 3


def test_a_certificate_of_the_environments_authority_is_taken(
    secure: FaultServer,
    certificate: SelfSigned,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate.ca_file))
    assert run(tmp_path, capsys, f"{secure.url}/q").code == 0


def test_a_certificate_for_another_host_is_refused(
    secure: FaultServer, certificate: SelfSigned, tmp_path: Path, capsys: Capture
) -> None:
    url = f"https://localhost:{secure.port}/q"
    ran = run(tmp_path, capsys, url, ca_file=str(certificate.ca_file), headers=AUTHORIZED)
    assert ran.code == 2
    assert ran.failure["kind"] == "tls"
    assert secure.requests == []


def test_an_expired_certificate_is_refused(tmp_path: Path, capsys: Capture) -> None:
    expired = self_signed(tmp_path, days=-1)
    with FaultServer({"/q": answering(reply(GOOD))}, expired.context) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", ca_file=str(expired.ca_file))
    assert ran.failure["kind"] == "tls"
    assert "expired" in ran.failure["message"]


def test_a_server_without_tls_is_named(plain: FaultServer, tmp_path: Path, capsys: Capture) -> None:
    ran = run(tmp_path, capsys, f"https://127.0.0.1:{plain.port}/q", headers=AUTHORIZED)
    assert ran.code == 2
    assert ran.failure["kind"] == "tls"
    assert plain.requests == []


@pytest.mark.parametrize("content", [None, b"", b"not a certificate"])
def test_a_file_of_authorities_that_is_none(
    content: bytes | None, secure: FaultServer, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    ran = run(tmp_path, capsys, f"{secure.url}/q", ca_file=str(path))
    assert ran.code == 3, ran.err
    assert secure.requests == []
    assert "Traceback (most" not in ran.err
    assert "unexpected" not in ran.err


# Redirects


@pytest.mark.parametrize("follow", [False, True])
def test_credentials_never_reach_another_host(
    follow: bool, plain: FaultServer, tmp_path: Path, capsys: Capture
) -> None:
    location = f"http://localhost:{plain.port}/q"
    away = answering(reply(b"", "307 Moved", {"Location": location}))
    with FaultServer({"/q": away}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", headers=AUTHORIZED, follow_redirects=follow)
    assert ran.code == 2
    assert ran.failure["kind"] == "redirect"
    assert location in ran.failure["message"]
    assert plain.requests == []


# What the environment may not add


def test_netrc_adds_nothing(
    plain: FaultServer, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login user password hunter2\ndefault login a password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    assert run(tmp_path, capsys, f"{plain.url}/q").code == 0
    assert all("authorization" not in request.headers for request in plain.requests)
    plain.requests.clear()
    assert run(tmp_path, capsys, f"{plain.url}/q", headers=AUTHORIZED).code == 0
    assert {request.headers["authorization"] for request in plain.requests} == {f"Bearer {TOKEN}"}


def test_cookies_are_not_kept(tmp_path: Path, capsys: Capture) -> None:
    with FaultServer({"/q": answering(reply(GOOD, headers={"Set-Cookie": "a=b"}))}) as server:
        assert run(tmp_path, capsys, f"{server.url}/q", concurrency=1).code == 0
    assert all("cookie" not in request.headers for request in server.requests)


# Proxies


def test_a_proxy_is_used(
    plain: FaultServer, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProxyServer({"rag.invalid": plain.port}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        ran = run(tmp_path, capsys, "http://rag.invalid/q", headers=AUTHORIZED)
        assert ran.code == 0, ran.out
        assert proxy.heads[0].startswith(b"POST http://rag.invalid/q HTTP/1.1\r\n")
    assert {request.headers["host"] for request in plain.requests} == {"rag.invalid"}
    assert all("proxy-authorization" not in request.headers for request in plain.requests)


def test_a_proxy_tunnels_tls_and_sees_no_header(
    certificate: SelfSigned, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        FaultServer({"/q": answering(reply(GOOD))}, certificate.context) as secure,
        ProxyServer({"127.0.0.1": secure.port}) as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        ran = run(
            tmp_path,
            capsys,
            f"{secure.url}/q",
            headers=AUTHORIZED,
            ca_file=str(certificate.ca_file),
        )
        assert ran.code == 0, ran.out
        assert proxy.heads
        for head in proxy.heads:
            assert head.startswith(b"CONNECT 127.0.0.1:")
            assert TOKEN.encode() not in head
        assert len(secure.requests) == 3


def test_credentials_of_a_proxy_go_to_the_proxy_only(
    plain: FaultServer, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ProxyServer({"rag.invalid": plain.port}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("://", "://user:pr0xy-pass@"))
        ran = run(tmp_path, capsys, "http://rag.invalid/q")
        assert ran.code == 0
        expected = base64.b64encode(b"user:pr0xy-pass")
        assert b"Proxy-Authorization: Basic " + expected in proxy.heads[0]
    for name, text in ran.everything().items():
        assert "pr0xy-pass" not in text, name


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_fails_is_named_without_its_credentials(
    scheme: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closed_port() as port:
        monkeypatch.setenv(f"{scheme.upper()}_PROXY", f"http://user:pr0xy-pass@127.0.0.1:{port}")
        ran = run(tmp_path, capsys, f"{scheme}://rag.invalid/q?key=abc")
    assert ran.code == 2
    assert ran.failure["kind"] == "refused"
    assert "proxy" in ran.failure["message"]
    for name, text in ran.everything().items():
        assert "pr0xy-pass" not in text, name


@pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "localhost,127.0.0.1"])
def test_a_host_without_proxy_is_asked_directly(
    exempt: str,
    plain: FaultServer,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("NO_PROXY", exempt)
        ran = run(tmp_path, capsys, f"{plain.url}/q")
    assert ran.code == 0
    assert len(plain.requests) == 3


def test_the_deadline_holds_through_a_proxy(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(wire: Wire, request: Request) -> None:
        wire.send(reply(b"", length=100))
        wire.drip(b" " * 100, 0.1)

    with (
        FaultServer({"/q": drip}) as server,
        ProxyServer({"rag.invalid": server.port}) as proxy,
    ):
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        ran = run(tmp_path, capsys, "http://rag.invalid/q", timeout=0.4)
    assert ran.failure["kind"] == "timeout"
    assert ran.seconds < 4
