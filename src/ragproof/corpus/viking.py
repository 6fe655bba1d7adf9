"""Reading a corpus from an OpenViking server: ``viking://scope/path``."""

import re
from collections.abc import Iterator, Mapping
from unicodedata import normalize

from ragproof.corpus.formats import format_by_name
from ragproof.corpus.ignore import parse_patterns, verdict_within
from ragproof.corpus.read import Reader, make_corpus
from ragproof.corpus.records import Corpus, Document, Skipped
from ragproof.corpus.settings import ReadSettings
from ragproof.corpus.unreadable import UnreadableError
from ragproof.corpus.viking_http import Trouble, VikingClient, VikingError, VikingServer
from ragproof.corpus.viking_list import DEEPEST, Entry, list_folder
from ragproof.endpoint.transport import Network
from ragproof.errors import ConfigError, CorpusError, EndpointError, RagproofError

__all__ = ["DIRECT", "VikingServer", "read_viking", "viking_server"]

URL_VARIABLE = "RAGPROOF_VIKING_URL"
KEY_VARIABLE = "RAGPROOF_VIKING_KEY"
_ADDRESS = re.compile(r"viking://[A-Za-z~][A-Za-z0-9_-]*(?:/[^\x00-\x1f\x7f]*)?")
_DEFAULT = ReadSettings()
_ENVELOPE_BYTES = 65_536
_LONGEST_ESCAPE = 6
"""Bytes of JSON that one byte of a text may take."""
_DOWN_IN_A_ROW = 3
_BINARY = frozenset({"pdf", "docx"})
DIRECT = Network({}, verify=True)
"""No proxies, and the usual certificate authorities."""


def viking_server(environ: Mapping[str, str], url: str | None = None) -> VikingServer:
    """The server that ``url`` names, or the environment: ``RAGPROOF_VIKING_URL``, with
    ``RAGPROOF_VIKING_KEY`` where it asks for a key.

    Raises:
        ConfigError: none is named, or address or key cannot be used.
    """
    url = url or environ.get(URL_VARIABLE, "").strip()
    if not url:
        raise ConfigError(
            "a viking:// corpus is read from an OpenViking server, and none is named",
            f"name it with --server or {URL_VARIABLE}, like http://127.0.0.1:1933",
        )
    return VikingServer(url, environ.get(KEY_VARIABLE, "").strip())


def read_viking(
    uri: str,
    server: VikingServer,
    settings: ReadSettings = _DEFAULT,
    *,
    recursive: bool = True,
    network: Network = DIRECT,
) -> Corpus:
    """Read a folder or file of a server. Ids are whole addresses, as the server writes them.

    Without ``recursive``, only what lies directly in the folder is read.

    Raises:
        CorpusError: there is no such folder or file, or nothing of it could be read.
        EndpointError: the server cannot be asked.
    """
    uri = uri.rstrip("/") if uri.rstrip("/") != "viking:" else uri
    if _ADDRESS.fullmatch(uri) is None or ".." in uri.split("/"):
        raise CorpusError(f"{uri} is no address of OpenViking", "write it like viking://scope/path")
    with VikingClient(server, network) as client, Reader(settings) as reader:
        reading = _Reading(client, reader, settings, recursive)
        try:
            outcomes = list(reading.outcomes(uri))
        except VikingError as error:
            raise _failed(uri, server, error) from None
    return make_corpus(outcomes, f"corpus {uri}")


class _Reading:
    """One corpus that is being read."""

    def __init__(
        self, client: VikingClient, reader: Reader, settings: ReadSettings, recursive: bool
    ) -> None:
        self._client = client
        self._reader = reader
        self._settings = settings
        self._recursive = recursive
        self._down = 0

    def outcomes(self, uri: str) -> Iterator[Document | Skipped]:
        """What becomes of each file.

        Raises:
            VikingError: the server cannot be asked.
        """
        try:
            entries = list_folder(self._client, uri, recursive=self._recursive)
        except VikingError as error:
            if error.code != "INVALID_ARGUMENT":
                raise
            entries = [Entry(uri, (uri.rpartition("/")[2],), folder=False, size=None)]
        seen: set[str] = set()
        for entry in sorted(entries):
            name = normalize("NFC", entry.uri)
            reason = self._refusal(entry)
            if reason is None and name in seen:
                reason = "has the same name as another file once Unicode is normalised; rename one"
            seen.add(name)
            if reason:
                yield Skipped(name + "/" * entry.folder, reason)
            elif not entry.folder:
                yield self._read(name, entry)

    def _refusal(self, entry: Entry) -> str | None:
        """Why something is not read, whatever is in it."""
        parts = tuple(normalize("NFC", part) for part in entry.parts)
        if parts[-1].startswith("."):
            return f"is a hidden {'folder' if entry.folder else 'file'}"
        if entry.folder:
            if not self._recursive:
                return "is a folder, and only what lies directly in the one named is read"
            return f"lies {DEEPEST} folders deep" if len(parts) >= DEEPEST else None
        if verdict_within(parse_patterns(self._settings.exclude), parts):
            return "matches a pattern of what to exclude"
        include = parse_patterns(self._settings.include)
        if include and not verdict_within(include, parts):
            return "matches no pattern of what to include"
        if entry.size is not None and entry.size > self._settings.max_file_bytes:
            return f"is larger than {self._settings.max_file_bytes / 1_000_000:g} MB"
        return None

    def _read(self, name: str, entry: Entry) -> Document | Skipped:
        try:
            raw = self._fetch(entry.uri, format_by_name(entry.parts[-1]))
        except UnreadableError as error:
            return Skipped(name, error.reason)
        except VikingError as error:
            self._down = self._down + 1 if error.trouble is Trouble.DOWN else 0
            if self._down == _DOWN_IN_A_ROW or error.trouble is Trouble.KEY:
                raise
            return Skipped(name, error.reason)
        self._down = 0
        return self._reader.read(name, raw)

    def _fetch(self, uri: str, kind: str) -> bytes:
        """The bytes of a file: those of a text come as JSON, which all versions give."""
        most = self._settings.max_file_bytes
        if kind in _BINARY:
            return self._client.raw("content/download", {"uri": uri}, most)
        limit = most * _LONGEST_ESCAPE + _ENVELOPE_BYTES
        text = self._client.result("content/read", {"uri": uri}, limit).get("result")
        if not isinstance(text, str):
            raise VikingError(Trouble.WRONG, "is answered with something other than a text")
        return text.encode("utf-8")


def _failed(uri: str, server: VikingServer, error: VikingError) -> RagproofError:
    message = f"corpus {uri} on {server.url} {error.reason}"
    if error.trouble in (Trouble.KEY, Trouble.DENIED):
        return EndpointError(message, f"set {KEY_VARIABLE} to the key of a user, not the root key")
    if error.trouble is Trouble.DOWN:
        return EndpointError(message, "check that the server runs, and its address")
    return CorpusError(message, "check the path, and that the address is that of OpenViking")
