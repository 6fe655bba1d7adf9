"""Certificates, proxies, and what the environment may not add."""

import json
from pathlib import Path

import pytest
from certificates import SelfSigned, self_signed
from faultserver import FaultServer, answering, closed_port, reply
from prompting import KEY, ask, make_settings
from proxyserver import ProxyServer
from scripted import saying, serving

from ragproof.endpoint.transport import Network
from ragproof.llm.errors import FatalModelError, UnavailableError
from ragproof.llm.model import open_model

CHOICE = {"message": {"content": "yes"}, "finish_reason": "stop"}
GOOD = answering(reply(json.dumps({"choices": [CHOICE]}).encode()))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> SelfSigned:
    return self_signed(tmp_path_factory.mktemp("tls"))


def test_an_unknown_certificate_ends_all_before_the_key_is_sent(certificate: SelfSigned) -> None:
    with FaultServer({"/v1/chat/completions": GOOD}, certificate.context) as server:
        with open_model(make_settings(f"{server.url}/v1", key=KEY)) as model:
            (error,) = ask(model)
        assert isinstance(error, FatalModelError)
        assert "certificate" in error.message
        assert "REQUESTS_CA_BUNDLE" in error.message
        assert server.requests == []


def test_a_certificate_of_a_named_authority_is_taken(certificate: SelfSigned) -> None:
    network = Network({}, str(certificate.ca_file))
    with (
        FaultServer({"/v1/chat/completions": GOOD}, certificate.context) as server,
        open_model(make_settings(f"{server.url}/v1"), network=network) as model,
    ):
        assert ask(model) == ["yes"]


def test_the_given_proxy_is_used_and_none_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        with serving(saying("yes")) as server, ProxyServer({"m.invalid": server.server_port}) as to:
            with open_model(make_settings(server.url)) as model:
                assert ask(model) == ["yes"]
            network = Network({"http": to.url}, True)
            with open_model(make_settings("http://m.invalid/v1"), network=network) as model:
                assert ask(model, "through the proxy") == ["yes"]
            assert to.heads[0].startswith(b"POST http://m.invalid/v1/chat/completions ")


def test_the_password_of_a_proxy_is_in_no_message() -> None:
    with closed_port() as port:
        network = Network({"http": f"http://user:pr0xy-pass@127.0.0.1:{port}"}, True)
        settings = make_settings("http://m.invalid/v1", retries=0)
        with open_model(settings, network=network) as model:
            (error,) = ask(model)
    assert isinstance(error, UnavailableError)
    assert "proxy" in error.message
    assert "pr0xy-pass" not in f"{error.message} {error.hint}"


def test_netrc_adds_no_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password netrc-pass\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving(saying("yes")) as server, open_model(make_settings(server.url)) as model:
        assert ask(model) == ["yes"]
        assert [one.key for one in server.requests] == [""]


def test_localhost_is_connected_to_where_the_network_says() -> None:
    with (
        serving(saying("yes")) as server,
        open_model(
            make_settings(f"http://localhost:{server.server_port}/v1"),
            network=Network({}, True, localhost="127.0.0.1"),
        ) as model,
    ):
        assert ask(model) == ["yes"]
