"""Files of the commit that a pull request is to be merged into, without a checkout of it."""

import base64
from typing import Any
from urllib.parse import quote

from ragproof.github.api import RAW_BYTES, Api, ApiError

_OBJECT = "application/vnd.github.object+json"
_NO_COMMIT = "no commit found"
_LFS = b"version https://git-lfs.github.com/spec/"


def read_base_file(api: Api, path: str, ref: str, limit: int = RAW_BYTES) -> bytes | None:
    """A file of the repository as of a commit; ``None`` if the commit does not have it.

    Of a symbolic link within the repository the file that it leads to.

    Args:
        path: Relative to the top of the repository, with ``/`` between its parts.
        ref: A commit's hash, better than the name of a branch, which may move.
        limit: Bytes.

    Raises:
        ApiError: the path leads out of the repository or to no file, the file is larger
            than ``limit`` or kept in Git LFS, or GitHub does not send it.
    """
    place, params = f"/contents/{_quoted(path)}", {"ref": ref}
    try:
        entry = api.get(place, params, _OBJECT)
    except ApiError as error:
        # GitHub also says so of a commit that is not there, and of a repository hidden to us.
        if error.status == 404 and _NO_COMMIT not in error.message.lower():
            return None
        raise
    kind, size = (entry.get("type"), entry.get("size")) if isinstance(entry, dict) else (None, None)
    if kind != "file":
        name = {"dir": "a folder", "symlink": "a link that leads to no file of the repository"}
        raise ApiError(f"{path!r} is {name.get(str(kind), 'no file')}", "name a file")
    if not isinstance(size, int) or isinstance(size, bool):
        raise api.malformed("size of a file")
    if size > limit:
        raise ApiError(f"{path!r} has {size:,} bytes; {limit:,} are read", "name a smaller file")
    data = _content(entry, size)
    if data is None:
        data = api.raw(place, params, limit)
    if data.startswith(_LFS):
        raise ApiError(
            f"{path!r} is kept in Git LFS, which is not read", "check the base out, or use no LFS"
        )
    return data


def _quoted(path: str) -> str:
    parts = path.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\0" in path:
        raise ApiError(
            f"{path!r} is no path within the repository",
            "name it from the top of the repository, without . and ..",
        )
    return "/".join(quote(part, safe="", errors="surrogatepass") for part in parts)


def _content(entry: dict[str, Any], size: int) -> bytes | None:
    """What an entry of a small file holds; GitHub leaves it out of that of a large one."""
    content = entry.get("content")
    if entry.get("encoding") != "base64" or not isinstance(content, str):
        return None
    try:
        data = base64.b64decode(content)
    except ValueError:
        return None
    return data if len(data) == size else None
