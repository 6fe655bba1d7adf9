"""What lies under an address on an OpenViking server.

The trees of some versions come in pages, those of others are cut; and by default all end at
the third level.
"""

from typing import Any, NamedTuple

from ragproof.corpus.viking_http import Trouble, VikingClient, VikingError

_PAGE = 10_000
_MOST = 200_000
"""Files and folders that a listing may hold."""
DEEPEST = 200
"""Levels of folders that are looked at."""
_ENTRY_BYTES = 4_000


class Entry(NamedTuple):
    """A file or folder. ``parts`` is its path below the address that was listed; ``size`` is in
    bytes, where the server says it."""

    uri: str
    parts: tuple[str, ...]
    folder: bool
    size: int | None


def list_folder(client: VikingClient, uri: str, *, recursive: bool) -> list[Entry]:
    """The files and folders under a folder, in the server's order.

    Raises:
        VikingError: it cannot be listed as a whole; with the code ``INVALID_ARGUMENT`` where it
            is a file.
    """
    items: list[Any] = []
    page = _PAGE
    while True:
        envelope = _tree(client, uri, 1 if not recursive else DEEPEST, page, len(items))
        found = envelope["result"]
        items += found
        if len(items) > _MOST:
            reason = f"holds more than {_MOST:,} files and folders; name a folder inside it"
            raise VikingError(Trouble.WRONG, reason)
        if "has_more" in envelope:
            if not envelope["has_more"]:
                break
            if not found or found == items[: len(found)] != items:
                raise VikingError(Trouble.WRONG, "is listed by the server without an end")
        elif len(found) < page:
            break
        else:  # a version without pages cuts its answer at the limit
            items, page = [], page * 5
    return _entries(items)


def _tree(client: VikingClient, uri: str, levels: int, page: int, offset: int) -> dict[str, Any]:
    values = {
        "uri": uri,
        "output": "original",
        "level_limit": str(levels),
        "node_limit": str(page),
    }
    if offset:
        values["offset"] = str(offset)
    envelope = client.result("fs/tree", values, page * _ENTRY_BYTES)
    if not isinstance(envelope.get("result"), list):
        raise VikingError(Trouble.WRONG, "is answered with something other than a listing")
    return envelope


def _entries(items: list[Any]) -> list[Entry]:
    """The entries; ``viking://~`` and the like are listed under their real address."""
    root: str | None = None
    entries = []
    for item in items:
        uri, path = _address(item)
        if root is None:
            root = uri.removesuffix(path)
        if not uri.startswith(root):
            raise VikingError(Trouble.WRONG, "is listed with files that lie elsewhere")
        size = item.get("size")
        entries.append(
            Entry(
                uri,
                tuple(uri.removeprefix(root).split("/")),
                bool(item.get("isDir")),
                size if isinstance(size, int) and not isinstance(size, bool) else None,
            )
        )
    return entries


def _address(item: Any) -> tuple[str, str]:
    """Address and path of an item, which must be names of something below the folder."""
    if isinstance(item, dict):
        uri, path = item.get("uri"), item.get("rel_path", item.get("name"))
        if isinstance(uri, str) and isinstance(path, str) and uri.endswith(f"/{path}"):
            parts = path.split("/")
            if uri.startswith("viking://") and not {"", ".", ".."} & set(parts):
                return uri, path
    raise VikingError(Trouble.WRONG, "is listed with names that are none")
