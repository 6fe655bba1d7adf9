"""From the JSON that an endpoint sends to a :class:`~ragproof.records.Response`. Pure.

Bodies hold no halves of surrogate pairs: whoever parses them sees to that.
"""

import json
import math
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from ragproof.config.endpoint import ChunkMapping, RequestConfig, ResponseMapping
from ragproof.endpoint.jsonpath import JsonPath, PathError, compile_path
from ragproof.errors import ConfigError
from ragproof.records import Chunk, Chunks, Failure, FailureKind, Response

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
        self.chunk_parts = frozenset(
            name
            for mapping in mappings
            if mapping.chunk is not None
            for name in Chunk._fields
            if getattr(mapping.chunk, name) is not None
        )
        self.has_citations = any(mapping.citations is not None for mapping in mappings)

    def read(self, bodies: Mapping[str, Any]) -> Response | Failure:
        """Map the parsed bodies; an error that a body reports, or another shape, is a failure."""
        answer: str | None = None
        chunks: Chunks | None = None
        citations: tuple[str, ...] | None = None
        for name, part in self._parts.items():
            if name not in bodies:
                return Failure(FailureKind.MISSING, f"the body of the {name} request was not saved")
            body = bodies[name]
            try:
                if (reported := part.reported_error(body)) is not None:
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
        self._columns_found_by = [path for paths in parts.values() for path in paths]
        column = _column_of_items if self._chunks else _column_of_body
        self._columns = [
            column(parts[name]) if name in parts else _no_column for name in Chunk._fields
        ]

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
        return tuple([one for one in _identifiers(found, "citations") if one is not None])

    def chunks(self, body: Any) -> Chunks:
        source = self._items(body) if self._chunks else body
        columns = [column(source) for column in self._columns]
        count = len(source) if self._chunks else self._common_length(columns, body)
        if count > MAX_CHUNKS:
            raise ShapeError(f"{count} chunks in one response, more than {MAX_CHUNKS}")
        ids, texts, scores, documents = [column or [None] * count for column in columns]
        chunks = Chunks(
            _identifiers(ids, "chunk.id"),
            _texts(texts, "chunk.text"),
            _numbers(scores, "chunk.score"),
            _identifiers(documents, "chunk.document_id"),
        )
        if None in ids and (None, None, None) in zip(ids, texts, documents, strict=True):
            raise ShapeError("a chunk has neither id, text nor document_id where the mapping looks")
        return chunks

    def _items(self, body: Any) -> list[Any]:
        values: list[Any] = []
        for path in self._chunks:
            found = path.find(body)
            if not found and path.singular:
                raise ShapeError(f"chunks: {self._paths.chunks} finds nothing")
            values += found
        if len(values) == 1 and isinstance(values[0], list):
            items = values[0]
        else:
            lists = (value if isinstance(value, list) else [value] for value in values)
            items = list(chain.from_iterable(lists))
        return [item for item in items if item is not None] if None in items else items

    def _common_length(self, columns: list[list[Any]], body: Any) -> int:
        """How long the columns are that hold anything."""
        lengths = {len(column) for column in columns if column}
        if len(lengths) > 1:
            pairs = zip(Chunk._fields, columns, strict=True)
            named = ", ".join(f"{name} {len(column)}" for name, column in pairs if column)
            raise ShapeError(f"the lists of chunk parts differ in length: {named}")
        if not lengths:
            self._check_columns(body)
        return max(lengths, default=0)

    def _check_columns(self, body: Any) -> None:
        """Tell lists that are empty or null from those that are not there."""
        paths = self._columns_found_by
        if any(path.singular for path in paths) and not any(path.find(body) for path in paths):
            mapping = self._paths.chunk
            named = mapping and (mapping.id or mapping.text or mapping.document_id)
            raise ShapeError(f"chunk: {named} finds nothing")


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


def _column_of_items(paths: list[JsonPath]) -> Callable[[Any], list[Any]]:
    """For each item what the first of several paths finds that finds anything but null."""
    columns = [path.column() for path in paths]
    if len(columns) == 1:
        return columns[0]

    def column(items: Any) -> list[Any]:
        rows = zip(*[one(items) for one in columns], strict=True)
        return [next((value for value in row if value is not None), None) for row in rows]

    return column


def _column_of_body(paths: list[JsonPath]) -> Callable[[Any], list[Any]]:
    """The first list, of those that several paths find, that holds anything but null."""

    def column(body: Any) -> list[Any]:
        for path in paths:
            found = path.find(body)
            if len(found) == 1 and isinstance(found[0], list):
                found = found[0]
            if any(value is not None for value in found):
                return found
        return []

    return column


def _no_column(source: Any) -> list[Any]:
    return []


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


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise ShapeError(f"{where}: expected a number, found {_short(value)}")
    return number


# Nearly all columns are of one type throughout: that is seen without a look at each value.


def _identifiers(column: list[Any], where: str) -> list[Any]:
    if _TEXT_OR_NONE.issuperset(map(type, column)):
        return column
    return [one if one is None else _identifier(one, where) for one in column]


def _texts(column: list[Any], where: str) -> list[Any]:
    if _TEXT_OR_NONE.issuperset(map(type, column)):
        return column
    return [one if one is None else _text(one, where) for one in column]


def _numbers(column: list[Any], where: str) -> list[Any]:
    # What is not finite spoils the sum; a sum that only grew too large is looked at closely.
    if _FLOAT.issuperset(map(type, column)) and math.isfinite(sum(column)):
        return column
    return [_number(one, where) for one in column]


_TEXT_OR_NONE = frozenset({str, type(None)})
_FLOAT = frozenset({float})


def _short(value: Any) -> str:
    return _quoted(value, 80)


def _excerpt(body: Any) -> str:
    return _quoted(body, _EXCERPT)


def _quoted(value: Any, limit: int) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:limit]
    except RecursionError:
        return ""
