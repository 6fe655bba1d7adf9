"""YAML as a configuration may hold it: safe types, no key twice, bounded in size.

Every value remembers the line it began on, so that an error can name it.
"""

from typing import Any, NamedTuple

import yaml

MAX_DEPTH = 40
MAX_NODES = 20_000

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
            no text, a tag that builds objects, a merge key, or more than
            ``MAX_NODES`` values once aliases are followed.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
        builder = _Builder()
        value = None if node is None else builder.build(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise StrictYamlError(
            error.problem or "malformed YAML", mark.line + 1 if mark else 1
        ) from None
    except yaml.YAMLError as error:
        raise StrictYamlError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise StrictYamlError("nested too deep") from None
    return Document(value, builder.lines if node is not None else {})


class _Builder(yaml.constructor.SafeConstructor):
    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[Path, int] = {}
        self._nodes = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise StrictYamlError("too large or nested too deep, aliases included", line)
        self.lines[path] = line
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        return self.construct_object(node, deep=True)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise StrictYamlError("merge keys (<<) are not supported: repeat the keys", line)
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise StrictYamlError(f"the key {key!r} is not text: put it in quotes", line)
            if key in made:
                raise StrictYamlError(f"the key {key!r} stands twice", line)
            made[key] = self.build(value_node, (*path, key))
            self.lines[(*path, key)] = line
        return made
