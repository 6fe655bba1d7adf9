"""Names of elements of WordprocessingML, of its strict variant, too."""

from collections.abc import Iterator
from typing import Any

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w:",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w:",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m:",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m:",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a:",
    "http://purl.oclc.org/ooxml/drawingml/main": "a:",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc:",
    "urn:schemas-microsoft-com:vml": "v:",
}


def name(element: Any) -> str:
    """``w:p`` and the like; empty for comments and for elements of other vocabularies."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    namespace, _, local = tag[1:].rpartition("}")
    prefix = _PREFIXES.get(namespace)
    return prefix + local if prefix else ""


def attribute(element: Any, local: str) -> str | None:
    """An attribute by its name without a namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == local:
            return str(value)
    return None


def children(element: Any, *names: str) -> Iterator[Any]:
    """Child elements of these names; none of no element."""
    for child in element if element is not None else ():
        if name(child) in names:
            yield child


def child(element: Any, *path: str) -> Any:
    """The first child, of that the first child, and so on; ``None`` where there is none."""
    for step in path:
        element = next(children(element, step), None)
    return element


def value(element: Any, *path: str) -> str | None:
    """The attribute ``val`` of :func:`child`."""
    found = child(element, *path)
    return None if found is None else attribute(found, "val")


def count(element: Any, wanted: str) -> int:
    """How many elements of a name there are at any depth."""
    return 0 if element is None else sum(name(each) == wanted for each in element.iter())
