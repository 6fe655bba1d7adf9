"""What the environment says about the network."""

import pytest

from ragproof.cli.network import read_network


@pytest.fixture(autouse=True)
def _proxied(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", "inside.test")


def test_each_host_has_its_own_proxy() -> None:
    network = read_network("http://inside.test/search", "http://outside.test/chat")
    assert network.proxies == {"http://outside.test": "http://proxy.test:3128"}


def test_no_proxy_is_obeyed() -> None:
    assert read_network("http://inside.test/").proxies == {}
    assert read_network("https://outside.test/").proxies == {}


def test_certificates_are_the_usual_ones_where_none_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    assert read_network("https://inside.test/").verify is True
