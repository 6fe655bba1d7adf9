"""Replies kept by what was asked, so that nothing is paid for twice."""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragproof.llm.providers.wire import Finish, Reply, count
from ragproof.llm.settings import ModelSettings, Provider
from ragproof.strictjson import StrictJsonError, canonical, loads, sha256_hex

_VERSION = 1
_LARGEST = 20_000_000


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Where replies are kept: under ``XDG_CACHE_HOME``, else the home folder's ``.cache``."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):  # the specification has relative ones ignored
        home = environ.get("HOME", "")
        if not home.startswith("/"):
            return None
        base = f"{home}/.cache"
    return Path(base) / "ragproof" / "replies"


def cache_key(settings: ModelSettings, prompt: str) -> str:
    """SHA-256 of all that decides about a reply; the key of the provider is no part of it."""
    asked = {
        "version": _VERSION,
        "provider": str(settings.provider),
        "base_url": settings.base_url,
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "temperature": settings.temperature,
        "seed": settings.seed,
        "prompt": prompt,
    }
    if settings.provider is Provider.AZURE:
        asked["api_version"] = settings.api_version
    return sha256_hex(canonical(asked).encode("utf-8", "surrogatepass"))


class ReplyCache:
    """Replies in a folder, a file each. What cannot be read counts as not there.

    ``problem`` says why the last reply could not be kept, or is empty: a full disk is no
    reason to lose what was paid for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.problem = ""

    def path(self, key: str) -> Path:
        """The file of a reply."""
        return self._folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Reply | None:
        """The reply kept under ``key``, if there is a whole one."""
        try:
            with self.path(key).open("rb") as file:
                raw = file.read(_LARGEST + 1)
            return _read(loads(raw.decode("utf-8")), key)
        except (OSError, UnicodeDecodeError, StrictJsonError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply: the whole file is there at once, or the old one stays."""
        path = self.path(key)
        temporary = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            with open(descriptor, "wb") as file:  # noqa: PTH123
                file.write(_written(reply, key))
            os.replace(temporary, path)  # noqa: PTH105
            temporary = None
        except OSError as error:
            self.problem = f"replies cannot be kept in {self._folder}: {error.strerror or error}"
        finally:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)  # noqa: PTH108


def _written(reply: Reply, key: str) -> bytes:
    entry = {
        "key": key,
        "text": reply.text,
        "sha256": sha256_hex(reply.text.encode("utf-8", "surrogatepass")),
        "finish": str(reply.finish),
        "detail": reply.detail,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }
    return json.dumps(entry).encode() + b"\n"


def _read(entry: Any, key: str) -> Reply | None:
    """The reply in an entry, if all of it is as it was written."""
    if not isinstance(entry, dict) or entry.get("key") != key:
        return None
    text, detail = entry.get("text"), entry.get("detail")
    if not isinstance(text, str) or not isinstance(detail, str):
        return None
    if entry.get("sha256") != sha256_hex(text) or entry.get("finish") not in set(Finish):
        return None
    finish = Finish(entry["finish"])
    return Reply(
        text, finish, count(entry.get("tokens_in")), count(entry.get("tokens_out")), detail
    )
