"""YAML as a configuration may hold it: safe types, no key twice, bounded in size.

Every value remembers the line it began on, so that an error can name it.
"""

from math import isfinite
from typing import Any, NamedTuple

import yaml

MAX_DEPTH = 40
MAX_NODES = 20_000
_TAG = "tag:yaml.org,2002:"
_SAFE = yaml.constructor.SafeConstructor()
_CONSTRUCT = {
    "int": _SAFE.construct_yaml_int,
    "float": _SAFE.construct_yaml_float,
    "bool": _SAFE.construct_yaml_bool,
    "null": _SAFE.construct_yaml_null,
}

Path = tuple[str | int, ...]


class StrictYamlError(ValueError):
    """Text that cannot be a configuration. ``line`` counts from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Document(NamedTuple):
    """A parsed file: its value, and for each path in it the line it begins on."""

    value: Any
    lines: dict[Path, int]


def load(text: str) -> Document:
    """Parse one YAML document.

    Raises:
        StrictYamlError: malformed, several documents, a key that stands twice or is
            no text, a tag or number that JSON has not, a merge key, or more than
            ``MAX_NODES`` values once aliases are followed. Dates stay text.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text.encode("utf-8")
        node = yaml.compose(text, Loader=loader)
        builder = _Builder()
        value = None if node is None else builder.build(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise StrictYamlError(
            error.problem or "malformed YAML", mark.line + 1 if mark else 1
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else 1
        raise StrictYamlError(error.reason, line) from None
    except yaml.YAMLError as error:
        raise StrictYamlError(str(error).splitlines()[0]) from None
    except UnicodeEncodeError:
        raise StrictYamlError("holds half of a surrogate pair") from None
    except RecursionError:
        raise StrictYamlError("nested too deep") from None
    return Document(value, builder.lines)


class _Builder:
    """Makes values of nodes; of all that YAML can name, only what JSON has as well."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self._nodes = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise StrictYamlError("too large or nested too deep, aliases included", line)
        self.lines[path] = line
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node, line)
        if node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            raise StrictYamlError(f"the tag {_readable(node.tag)} is not supported", line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == f"{_TAG}merge":
                raise StrictYamlError("merge keys (<<) are not supported: repeat the keys", line)
            # What is no text is not even looked at: printed, its aliases could fill the memory.
            key = _scalar(key_node, line) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                shown = f"the key {key_node.value[:80]}" if key_node.id == "scalar" else "a key"
                raise StrictYamlError(f"{shown} is not text: put it in quotes", line)
            if key in made:
                raise StrictYamlError(f"the key {key!r} stands twice", line)
            made[key] = self.build(value_node, (*path, key))
            self.lines[(*path, key)] = line
        return made


def _scalar(node: yaml.ScalarNode, line: int) -> str | int | float | bool | None:
    if node.tag in (f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value", f"{_TAG}merge"):
        return str(node.value)
    kind = node.tag.removeprefix(_TAG)
    if kind not in _CONSTRUCT:
        raise StrictYamlError(f"the tag {_readable(node.tag)} is not supported", line)
    if ":" in node.value:
        return str(node.value)  # to YAML 1.1 the time 12:30 is the number 750
    try:
        value: int | float | bool | None = _CONSTRUCT[kind](node)
    except (ValueError, KeyError, IndexError):
        raise StrictYamlError(f"{node.value[:40]!r} is no {kind}", line) from None
    if isinstance(value, float) and not isfinite(value):
        raise StrictYamlError(f"{node.value[:40]} is not a number that JSON has", line)
    if isinstance(value, int) and abs(value) >= 2**63:
        raise StrictYamlError("a whole number is too large", line)
    return value


def _readable(tag: str) -> str:
    return repr(tag.replace(_TAG, "!!")[:80])
