"""Makes the servers beside this file importable, and keeps the environment out of their way."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_FILES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "NETRC")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy, no authority, no workflow."""
    for name in (*_NAMES, *_FILES, "GITHUB_ACTIONS", "RAGPROOF_DEBUG"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
