"""Proxies and certificate authorities from the environment, read once at start."""

import os
from pathlib import Path

from ragproof.config.models import EndpointConfig
from ragproof.endpoint.transport import Network
from ragproof.errors import ConfigError


def read_network(endpoint: EndpointConfig) -> Network:
    """What ``HTTPS_PROXY``, ``NO_PROXY``, ``REQUESTS_CA_BUNDLE`` and ``ca_file`` say.

    Raises:
        ConfigError: the file of certificates does not exist, or the address cannot be.
    """
    from requests.utils import get_environ_proxies

    url = next(iter(endpoint.requests().values())).url
    bundle = endpoint.ca_file or next(
        filter(None, map(os.environ.get, ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))), None
    )
    if bundle is not None and not Path(bundle).exists():
        raise ConfigError(
            f"the file of CA certificates {bundle} does not exist",
            "mend endpoint.ca_file or REQUESTS_CA_BUNDLE",
        )
    try:
        proxies = get_environ_proxies(url)
    except ValueError as error:
        raise ConfigError(f"endpoint.url is not an address: {error}", "mend it") from None
    return Network(proxies, bundle or True)
