"""JSONPath (RFC 9535), compiled once and applied to every response.

Paths made of names, indices and ``[*]`` cover most mappings; they become a few
dictionary look-ups, which spares a run the library's import and its node objects.
All others go to the library.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from ragproof.errors import ConfigError

_STEP = (
    r"\.([A-Za-z_][A-Za-z0-9_]*)|\['([^'\\\x00-\x1f]*)'\]|\[\"([^\"\\\x00-\x1f]*)\"\]"
    r"|\[(0|-?[1-9][0-9]{0,8})\]|(\[\*\]|\.\*)"
)
_STEPS = re.compile(_STEP)
_PLAIN = re.compile(rf"\$(?:{_STEP})*")
_WILD = object()


class PathError(ValueError):
    """A document that a path cannot be applied to."""


class JsonPath(NamedTuple):
    """A compiled path. ``singular``: it finds one value at most, so finding none is telling
    (said of plain paths only).

    ``find`` raises :class:`PathError`.
    """

    find: Callable[[Any], list[Any]]
    singular: bool

    def column(self) -> Callable[[list[Any]], list[Any]]:
        """A function from items to what the path finds in each: a value, a list of several, None.

        Raises:
            PathError: when called.
        """
        if isinstance(self.find, _Plain):
            return self.find.column()
        find = self.find

        def get(document: Any) -> Any:
            found = [value for value in find(document) if value is not None]
            return found[0] if len(found) == 1 else found or None

        return lambda items: [get(item) for item in items]


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
    return JsonPath(_Plain(steps), singular=True)


class _Plain:
    """A path of names and indices only."""

    def __init__(self, steps: list[Any]) -> None:
        # An index into a text is an error to JSONPath, but not to Python.
        self._steps = [(dict if type(step) is str else list, step) for step in steps]

    def __call__(self, document: Any) -> list[Any]:
        for holder, step in self._steps:
            if type(document) is not holder:
                return []
            try:
                document = document[step]
            except (KeyError, IndexError):
                return []
        return [document]

    def column(self) -> Callable[[list[Any]], list[Any]]:
        """See :meth:`JsonPath.column`."""
        getters = [itemgetter(step) for holder, step in self._steps if holder is dict]
        if len(getters) < len(self._steps):
            return lambda items: [self._get(item) for item in items]

        def column(items: list[Any]) -> list[Any]:
            values: Iterable[Any] = items
            for getter in getters:
                values = map(getter, values)
            try:
                return list(values)
            except (KeyError, TypeError, IndexError):
                # Not all items have it: see which.
                return [self._get(item) for item in items]

        return column

    def _get(self, document: Any) -> Any:
        found = self(document)
        return found[0] if found else None


def _steps(path: str) -> Iterator[Any]:
    for match in _STEPS.finditer(path):
        if match[5]:
            yield _WILD
        elif match[4] is not None:
            yield int(match[4])
        else:
            yield next(name for name in match.groups() if name is not None)


def _many(document: Any, steps: list[Any]) -> list[Any]:
    values = [document]
    for step in steps:
        if step is _WILD:
            values = [item for value in values for item in _children(value)]
        else:
            one = _Plain([step])
            values = [found for value in values for found in one(value)]
    return values


def _children(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else []


def _library(path: str) -> JsonPath:
    import jsonpath_rfc9535 as jsonpath  # noqa: PLC0415 - most runs do without it

    try:
        query = jsonpath.compile(path)
    except (jsonpath.JSONPathError, RecursionError) as error:
        raise ConfigError(
            # Some versions of the library fail to make a text of their own error.
            f"{path[:200]!r} is not a JSONPath: {error.args[0] if error.args else 'malformed'}",
            "write it as RFC 9535 has it, for example $.data.chunks[*].text",
        ) from None

    def find(document: Any) -> list[Any]:
        try:
            return list(query.find(document).values())
        except (jsonpath.JSONPathError, RecursionError):
            raise PathError(f"{path} cannot be applied: nested too deep") from None

    return JsonPath(find, singular=False)
