"""Opening a corpus wherever it is."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ragproof.corpus.read import read_corpus
from ragproof.corpus.records import Corpus
from ragproof.corpus.settings import ReadSettings

if TYPE_CHECKING:
    from ragproof.corpus.viking import VikingServer
    from ragproof.endpoint.transport import Network

_SCHEME = "viking:"
_DEFAULT = ReadSettings()


def is_on_server(location: str) -> bool:
    """Whether a location is one on an OpenViking server."""
    return location.lower().startswith(_SCHEME)


def open_corpus(
    location: str,
    settings: ReadSettings = _DEFAULT,
    *,
    server: "VikingServer | None" = None,
    network: "Network | None" = None,
) -> Corpus:
    """Read a folder, a file, or ``viking://scope/path``.

    The last is read from ``server``, by default the one that the environment names, over
    ``network``, by default without proxies.

    Raises:
        CorpusError: there is no such corpus, or nothing of it could be read.
        ConfigError: it is on a server, and the environment names none or a wrong one.
        EndpointError: its server cannot be asked.
    """
    if not is_on_server(location):
        return read_corpus(Path(location), settings)
    from ragproof.corpus.viking import DIRECT, read_viking, viking_server  # noqa: PLC0415 - HTTP

    server = viking_server(os.environ) if server is None else server
    return read_viking(location, server, settings, network=network or DIRECT)
