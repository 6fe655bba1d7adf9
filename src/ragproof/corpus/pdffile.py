"""The text of a PDF, page by page. It runs in a program of its own."""

from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.errors import DependencyError
from pypdf.generic import DictionaryObject

from ragproof.corpus.extracted import Extracted
from ragproof.corpus.unreadable import UnreadableError

_MOST_PAGES = 20_000
_MOST_CHARACTERS = 20_000_000
_BETWEEN_PAGES = "\n\n"
_LISTED = 5


def extract(raw: bytes) -> Extracted:
    """All pages, divided by a blank line. One that cannot be read is left out with a warning.

    Raises:
        UnreadableError: a password is needed, or no page holds text.
        ImportError: its encryption needs a library that is not installed.
    """
    try:
        reader = PdfReader(BytesIO(raw), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("is encrypted: a password is needed to read it")
        count = len(reader.pages)
    except DependencyError as error:
        raise ImportError(str(error)) from None
    if count > _MOST_PAGES:
        raise UnreadableError(f"has more than {_MOST_PAGES} pages")
    return _joined(reader, count)


def _joined(reader: PdfReader, count: int) -> Extracted:
    texts: list[str] = []
    offsets: list[int] = []
    failed: list[int] = []
    empty: list[int] = []
    length = 0
    for number in range(1, count + 1):
        text = _page(reader, number)
        if text is None:
            failed.append(number)
        elif not text.strip():
            empty.append(number)
        offsets.append(length)
        texts.append(text or "")
        length += len(texts[-1]) + len(_BETWEEN_PAGES)
        if length > _MOST_CHARACTERS:
            raise UnreadableError(
                f"holds more than {_MOST_CHARACTERS // 1_000_000} million characters"
            )
    warnings = [
        *_warning(failed, count, "cannot be read"),
        *_warning(empty, count, "without text: blank or pictures, which are not read (no OCR)"),
        *_left_out(reader),
    ]
    return Extracted(_BETWEEN_PAGES.join(texts), tuple(offsets), tuple(warnings))


def _page(reader: PdfReader, number: int) -> str | None:
    try:
        return reader.pages[number - 1].extract_text()
    except (MemoryError, DependencyError):
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one page, the others count
        return None


def _warning(pages: list[int], count: int, what: str) -> list[str]:
    if not pages:
        return []
    shown = ", ".join(map(str, pages[:_LISTED])) + (", ..." if len(pages) > _LISTED else "")
    return [f"{len(pages)} of {count} pages {what} ({shown})"]


def _left_out(reader: PdfReader) -> list[str]:
    """What a PDF can hold beside its pages."""
    found = []
    root: Any = reader.root_object
    if _at(root, "/Names", "/EmbeddedFiles") is not None:
        found.append("attached files are not read")
    if _at(root, "/AcroForm", "/Fields"):
        found.append("what is filled into form fields is not read")
    return found


def _at(value: Any, *keys: str) -> Any:
    try:
        for key in keys:
            value = value.get_object()
            value = value.get(key) if isinstance(value, DictionaryObject) else None
            if value is None:
                return None
        return value.get_object()
    except Exception:  # noqa: BLE001 - a broken catalog is no reason to lose the pages
        return None
