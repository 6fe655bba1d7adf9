"""Proxies and certificate authorities from the environment, read once at start."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from ragproof.endpoint.transport import Network
from ragproof.errors import ConfigError


def read_network(*urls: str, ca_file: str | None = None) -> Network:
    """What ``HTTPS_PROXY``, ``NO_PROXY``, ``REQUESTS_CA_BUNDLE`` and ``ca_file`` say.

    Raises:
        ConfigError: the file of certificates cannot be used, or an address cannot be.
    """
    proxies: dict[str, str] = {}
    for url in urls:
        proxies |= _proxy(url)
    bundle = ca_file or next(
        filter(None, map(os.environ.get, ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))), None
    )
    if bundle is not None:
        _check_bundle(Path(bundle))
    return Network(proxies, bundle or True)


def _proxy(url: str) -> dict[str, str]:
    """The proxy for one address, if any, under the name that requests looks it up by."""
    from requests.utils import get_environ_proxies, select_proxy

    try:
        proxy = select_proxy(url, get_environ_proxies(url))
        parts = urlsplit(url)
    except ValueError as error:
        hint = "mend it under endpoint in the configuration, or as --endpoint gives it"
        raise ConfigError(f"{url} is not an address: {error}", hint) from None
    return {} if proxy is None else {f"{parts.scheme}://{parts.hostname}": proxy}


def _check_bundle(path: Path) -> None:
    import ssl

    hint = "mend endpoint.ca_file or REQUESTS_CA_BUNDLE"
    if not path.exists():
        raise ConfigError(f"the file of CA certificates {path} does not exist", hint)
    try:
        folder = path.is_dir()
        ssl.create_default_context(
            cafile=None if folder else str(path), capath=str(path) if folder else None
        )
    except OSError as error:
        raise ConfigError(f"{path} holds no usable CA certificates: {error}", hint) from None
