"""JSONPath (RFC 9535), compiled once and applied to every response.

Paths made of names, indices and ``[*]`` cover most mappings; they become a few
dictionary look-ups, which spares a run the library's import and its node objects.
All others go to the library.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ragproof.errors import ConfigError

_STEP = r"\.([A-Za-z_][A-Za-z0-9_]*)|\['([^'\\\x00-\x1f]*)'\]|\[(0|-?[1-9]\d{0,8})\]|(\[\*\]|\.\*)"
_STEPS = re.compile(_STEP)
_PLAIN = re.compile(rf"\$(?:{_STEP})*")
_WILD = object()


class JsonPath(NamedTuple):
    """A compiled path. ``singular``: it finds one value at most, so finding none is telling."""

    find: Callable[[Any], list[Any]]
    singular: bool


def compile_path(path: str) -> JsonPath:
    """Compile a path; ``find`` returns the values it finds in a parsed JSON document.

    Raises:
        ConfigError: not a JSONPath.
    """
    if not _PLAIN.fullmatch(path):
        return _library(path)
    steps = list(_steps(path))
    if _WILD in steps:
        return JsonPath(lambda document: _many(document, steps), singular=False)
    return JsonPath(lambda document: _one(document, steps), singular=True)


def _steps(path: str) -> Iterator[Any]:
    for match in _STEPS.finditer(path):
        if match[4]:
            yield _WILD
        elif match[3] is not None:
            yield int(match[3])
        else:
            yield match[1] if match[1] is not None else match[2]


def _one(value: Any, steps: list[Any]) -> list[Any]:
    for step in steps:
        # An index into a text is an error to JSONPath, but not to Python.
        if type(value) is not (dict if type(step) is str else list):
            return []
        try:
            value = value[step]
        except (KeyError, IndexError):
            return []
    return [value]


def _many(document: Any, steps: list[Any]) -> list[Any]:
    values = [document]
    for step in steps:
        if step is _WILD:
            values = [item for value in values for item in _children(value)]
        else:
            values = [found for value in values for found in _one(value, [step])]
    return values


def _children(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else []


def _library(path: str) -> JsonPath:
    import jsonpath_rfc9535 as jsonpath  # noqa: PLC0415 - most runs do without it

    try:
        query = jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise ConfigError(
            f"{path!r} is not a JSONPath: {error}",
            "write it as RFC 9535 has it, for example $.data.chunks[*].text",
        ) from None

    def find(document: Any) -> list[Any]:
        return list(query.find(document).values())

    return JsonPath(find, query.singular_query())
