"""The parts of a DOCX, which is an archive of XML files that lead to each other.

Sizes are checked before anything is unpacked, and any document type declaration is refused
before a parser sees it that would follow it.
"""

import posixpath
import zlib
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from docx.oxml import parse_xml

from ragproof.corpus.unreadable import UnreadableError

_MOST_PARTS = 5_000
_LARGEST_PART = 50_000_000
_LARGEST_ARCHIVE = 200_000_000
_OLD_FORMAT = b"\xd0\xcf\x11\xe0"
_NO_MEMORY = 2
"""What libxml2 calls it."""
_READ_AT_ONCE = 1 << 16


class Link(NamedTuple):
    """A relationship: the last part of its type, and the name of the part it leads to."""

    kind: str
    target: str


class Archive:
    """A DOCX whose parts can be read.

    Opening it with the library as a document would fail on a relationship that leads to
    nothing, which many writers leave behind, and on the strict variant of the format; so only
    its parser is used.
    """

    def __init__(self, raw: bytes) -> None:
        """
        Raises:
            UnreadableError: it is no such archive, or not a harmless one.
        """
        if raw.startswith(_OLD_FORMAT):
            raise UnreadableError("is encrypted, or in the format of Word before 2007")
        try:
            self._zip = ZipFile(BytesIO(raw))
        except (BadZipFile, NotImplementedError, ValueError) as error:
            raise UnreadableError(f"is not a DOCX: {error}") from None
        self._check_sizes()
        self._names = {name.lower(): name for name in self._zip.namelist()}
        for name in self._zip.namelist():
            if name.lower().endswith((".xml", ".rels")):
                self._refuse_doctype(name)

    def root(self, name: str) -> Any:
        """The root element of a part; ``None`` where there is no such part.

        Raises:
            UnreadableError: the part is broken.
        """
        found = self._names.get(name.lower())
        if found is None:
            return None
        self._refuse_doctype(found)
        try:
            return parse_xml(self._zip.read(found))
        except (BadZipFile, zlib.error, EOFError, SyntaxError) as error:
            if getattr(error, "code", None) == _NO_MEMORY:
                raise MemoryError from None
            raise _broken(found, error) from None

    def links(self, name: str) -> list[Link]:
        """Where a part leads to inside the archive; of the whole archive for an empty name."""
        folder, _, base = name.rpartition("/")
        root = self.root(posixpath.join(folder, "_rels", f"{base}.rels"))
        links = []
        for each in root if root is not None else ():
            target = each.get("Target") if each.get("TargetMode") != "External" else None
            if target:
                path = posixpath.normpath(posixpath.join("/", folder, unquote(target)))
                links.append(Link((each.get("Type") or "").rpartition("/")[2], path.lstrip("/")))
        return links

    def _check_sizes(self) -> None:
        parts = self._zip.infolist()
        if len(parts) > _MOST_PARTS:
            raise UnreadableError(f"is an archive of more than {_MOST_PARTS} files")
        if any(part.flag_bits & 1 for part in parts):
            raise UnreadableError("is encrypted: a password is needed to read it")
        if any(part.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for part in parts):
            raise UnreadableError("is an archive packed in a way that Word does not write")
        for size, limit in (
            (max((part.file_size for part in parts), default=0), _LARGEST_PART),
            (sum(part.file_size for part in parts), _LARGEST_ARCHIVE),
        ):
            if size > limit:
                raise UnreadableError(
                    f"unpacks to {size / 1_000_000:.0f} MB, more than {limit // 1_000_000} MB"
                )

    def _refuse_doctype(self, name: str) -> None:
        """A declaration stands before the root element, if anywhere."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = _raise_doctype
        parser.StartElementHandler = _raise_root
        try:
            with self._zip.open(name) as part:
                while data := part.read(_READ_AT_ONCE):
                    parser.Parse(data, False)
            parser.Parse(b"", True)
        except _RootError:
            return
        except (BadZipFile, zlib.error, EOFError, expat.ExpatError, NotImplementedError) as error:
            raise _broken(name, error) from None


class _RootError(Exception):
    """The root element began."""


def _raise_root(*_: object) -> None:
    raise _RootError


def _raise_doctype(*_: object) -> None:
    raise UnreadableError("declares a document type (DTD), which no DOCX needs: refused")


def _broken(name: str, error: Exception) -> UnreadableError:
    return UnreadableError(f"is broken: {name}: {error}")
