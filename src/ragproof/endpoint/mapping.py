"""From the JSON that an endpoint sends to a :class:`~ragproof.records.Response`. Pure.

Bodies hold no halves of surrogate pairs: whoever parses them sees to that.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from ragproof.config.models import ChunkMapping, RequestConfig, ResponseMapping
from ragproof.endpoint.jsonpath import JsonPath, PathError, compile_path
from ragproof.errors import ConfigError
from ragproof.records import Chunk, Failure, FailureKind, Response

_EXCERPT = 300
MAX_CHUNKS = 10_000


class ShapeError(ValueError):
    """A response in which a mapped part is missing or of the wrong type."""


class ResponseReader:
    """Reads the responses of all requests of a case into one :class:`Response`."""

    def __init__(self, requests: Mapping[str, RequestConfig]) -> None:
        """
        Raises:
            ConfigError: a path that is no JSONPath.
        """
        self._parts = {
            name: _BodyReader(request.response, f"endpoint.{name}.response")
            for name, request in requests.items()
        }
        mappings = [request.response for request in requests.values()]
        self.has_answer = any(mapping.answer is not None for mapping in mappings)
        self.has_chunks = any(mapping.chunk is not None for mapping in mappings)
        self.has_citations = any(mapping.citations is not None for mapping in mappings)

    def read(self, bodies: Mapping[str, Any]) -> Response | Failure:
        """Map the parsed bodies; an error that a body reports, or another shape, is a failure."""
        answer: str | None = None
        chunks: tuple[Chunk, ...] | None = None
        citations: tuple[str, ...] | None = None
        for name, part in self._parts.items():
            if name not in bodies:
                return Failure(FailureKind.MISSING, f"the body of the {name} request was not saved")
            body = bodies[name]
            try:
                reported = part.reported_error(body)
                if reported is not None:
                    return Failure(FailureKind.REPORTED, reported, _excerpt(body))
                answer = part.answer(body) if part.has_answer else answer
                chunks = part.chunks(body) if part.has_chunks else chunks
                citations = part.citations(body) if part.has_citations else citations
            except (ShapeError, PathError) as error:
                return Failure(FailureKind.SHAPE, str(error), _excerpt(body))
        return Response(answer, chunks, citations)


class _BodyReader:
    def __init__(self, mapping: ResponseMapping, where: str) -> None:
        self._paths = mapping
        self.has_answer = mapping.answer is not None
        self.has_chunks = mapping.chunk is not None
        self.has_citations = mapping.citations is not None
        self._answer = _compile(mapping.answer, f"{where}.answer")
        self._citations = _compile(mapping.citations, f"{where}.citations")
        self._chunks = _compile(mapping.chunks, f"{where}.chunks")
        self._error = _compile(mapping.error_when, f"{where}.error_when")
        chunk = mapping.chunk or ChunkMapping(id="$")
        parts = {
            name: _compile(path, f"{where}.chunk.{name}")
            for name in Chunk._fields
            if (path := getattr(chunk, name)) is not None
        }
        getter = _getter if self._chunks else _column_getter
        self._fields = [(_FIELDS[name], name, getter(paths)) for name, paths in parts.items()]
        self._columns_found_by = [path for paths in parts.values() for path in paths]

    def reported_error(self, body: Any) -> str | None:
        for path in self._error:
            found = [value for value in path.find(body) if value]
            if found:
                return f"the response reports an error: {_short(found[0])}"
        return None

    def answer(self, body: Any) -> str:
        found = _first(self._answer, body)
        if not found:
            raise ShapeError(f"answer: {self._paths.answer} finds nothing")
        return "".join([_text(value, "answer") for value in found])

    def citations(self, body: Any) -> tuple[str, ...]:
        found = _first(self._citations, body)
        if len(found) == 1 and isinstance(found[0], list):
            found = found[0]
        return tuple([_identifier(one, "citations") for one in found if one is not None])

    def chunks(self, body: Any) -> tuple[Chunk, ...]:
        if not self._chunks:
            return self._columns(body)
        items: list[Any] = []
        for path in self._chunks:
            found = path.find(body)
            if not found and path.singular:
                raise ShapeError(f"chunks: {self._paths.chunks} finds nothing")
            for value in found:
                items.extend(value if isinstance(value, list) else [value])
        _check_count(items)
        return tuple([self._chunk(item) for item in items if item is not None])

    def _chunk(self, item: Any) -> Chunk:
        values: list[Any] = [None, None, None, None]
        for place, name, get in self._fields:
            value = get(item)
            if type(value) is str and place != _SCORE:
                values[place] = value
            elif value is not None:
                values[place] = _READERS[place](value, name)
        return _made(values)

    def _columns(self, body: Any) -> tuple[Chunk, ...]:
        """Parallel lists, one a part, zipped by position."""
        columns = [(place, name, get(body)) for place, name, get in self._fields]
        lists = [(place, name, found) for place, name, found in columns if found]
        if len({len(found) for _, _, found in lists}) > 1:
            lengths = ", ".join(f"{name} {len(found)}" for _, name, found in lists)
            raise ShapeError(f"the lists of chunk parts differ in length: {lengths}")
        if not lists:
            self._check_columns(body)
        count = len(lists[0][2]) if lists else 0
        _check_count(range(count))
        chunks = []
        for rank in range(count):
            values: list[Any] = [None, None, None, None]
            for place, name, found in lists:
                if found[rank] is not None:
                    values[place] = _READERS[place](found[rank], name)
            chunks.append(_made(values))
        return tuple(chunks)

    def _check_columns(self, body: Any) -> None:
        """Tell lists that are empty or null from those that are not there."""
        paths = self._columns_found_by
        if any(path.singular for path in paths) and not any(path.find(body) for path in paths):
            mapping = self._paths.chunk
            named = mapping and (mapping.id or mapping.text or mapping.document_id)
            raise ShapeError(f"chunk: {named} finds nothing")


def _made(values: list[Any]) -> Chunk:
    chunk = Chunk(*values)
    if chunk.id is None and chunk.text is None and chunk.document_id is None:
        raise ShapeError("a chunk has neither id, text nor document_id where the mapping looks")
    return chunk


def _check_count(items: Any) -> None:
    if len(items) > MAX_CHUNKS:
        raise ShapeError(f"{len(items)} chunks in one response, more than {MAX_CHUNKS}")


def _compile(paths: str | list[str] | None, where: str) -> list[JsonPath]:
    finders = []
    for path in [paths] if isinstance(paths, str) else paths or []:
        try:
            finders.append(compile_path(path))
        except ConfigError as error:
            raise ConfigError(f"{where}: {error.message}", error.hint) from None
    return finders


def _first(finders: list[JsonPath], document: Any) -> list[Any]:
    """What the first of several paths finds that finds anything but null, nulls left out."""
    for path in finders:
        found = [value for value in path.find(document) if value is not None]
        if found:
            return found
    return []


def _getter(paths: list[JsonPath]) -> Callable[[Any], Any]:
    """What the first of several paths finds that finds anything but null."""
    getters = [path.getter() for path in paths]
    if len(getters) == 1:
        return getters[0]

    def get(document: Any) -> Any:
        return next((found for one in getters if (found := one(document)) is not None), None)

    return get


def _column_getter(paths: list[JsonPath]) -> Callable[[Any], list[Any]]:
    """As :func:`_getter`, for a list with a value for each chunk."""

    def get(document: Any) -> list[Any]:
        for path in paths:
            found = path.find(document)
            if len(found) == 1 and isinstance(found[0], list):
                found = found[0]
            if any(value is not None for value in found):
                return found
        return []

    return get


def _text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    raise ShapeError(f"{where}: expected text, found {_short(value)}")


def _identifier(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ShapeError(f"{where}: expected an id, found {_short(value)}")


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise ShapeError(f"{where}: expected a number, found {_short(value)}")
    return number


_SCORE = Chunk._fields.index("score")
_FIELDS = {name: place for place, name in enumerate(Chunk._fields)}
_READERS: tuple[Callable[[Any, str], Any], ...] = (_identifier, _text, _number, _identifier)


def _short(value: Any) -> str:
    return _quoted(value, 80)


def _excerpt(body: Any) -> str:
    return _quoted(body, _EXCERPT)


def _quoted(value: Any, limit: int) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:limit]
    except RecursionError:
        return ""
