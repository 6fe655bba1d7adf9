"""Waiting until an endpoint that was just started says that it is ready."""

import time
from urllib.parse import urlsplit

from ragproof.cli.console import tell
from ragproof.cli.container import ADVICE, find_localhost, in_container
from ragproof.endpoint.addresses import is_localhost
from ragproof.endpoint.deadline import Watch, Watchdog
from ragproof.endpoint.transport import Network
from ragproof.errors import EndpointError, UsageError

_EVERY_S = 0.5
_CALL_S = 5.0


def wait_for(url: str, seconds: float, network: Network) -> None:
    """Ask ``url`` again and again until it answers with a status of success (2xx).

    Nothing but the request itself is sent: no header, no secret.

    Raises:
        UsageError: the address cannot be asked.
        EndpointError: it is not ready within so many seconds.
    """
    host = _host(url)
    tell(f"waiting for {url}")
    until = time.monotonic() + seconds
    watchdog = Watchdog()
    watch = watchdog.watch()
    watchdog.start()
    try:
        while (wrong := _ask(url, network, watch)) != "":
            if time.monotonic() + _EVERY_S >= until:
                local = in_container() and is_localhost(host)
                raise EndpointError(
                    f"{url} was not ready within {seconds:g} s: {wrong}",
                    ADVICE if local else "look at the endpoint's own log, or allow it more time",
                )
            time.sleep(_EVERY_S)
    finally:
        watchdog.stop()


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.port != 0
        host = parts.hostname or ""
    except ValueError:
        usable, host = False, ""
    if not usable or not host:
        raise UsageError(f"what to wait for is no http or https address: {url}", "mend it")
    return host


def _ask(url: str, network: Network, watch: Watch) -> str:
    """What is wrong with the answer of ``url``; ``""`` when nothing is."""
    import requests

    from ragproof.endpoint.faults import classify
    from ragproof.endpoint.transport import Adapter, ForbiddenAddressError, open_session

    adapter = Adapter(watch, find_localhost([url], network))
    try:
        with open_session(adapter) as session, watch.until(time.monotonic() + _CALL_S):
            response = session.get(
                url,
                timeout=_CALL_S,
                allow_redirects=False,
                stream=True,
                proxies=network.proxies,
                verify=network.verify,
            )
            status = response.status_code
            response.close()
    except ForbiddenAddressError as error:
        raise EndpointError(f"{error}, which is never asked", "wait for another") from None
    except (requests.RequestException, OSError) as error:
        return classify(error, _CALL_S)[1]
    if watch.expired:  # a connection that was shut down looks like the end of the headers
        return f"no complete answer within {_CALL_S:g} s"
    return "" if 200 <= status < 300 else f"HTTP {status}"
