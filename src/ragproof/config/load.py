"""Reading ``ragproof.yml``: every problem at once, with file, line, key and the nearest key."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ragproof.config.models import Config
from ragproof.config.strictyaml import Document, StrictYamlError, load
from ragproof.config.strictyaml import Path as Path_
from ragproof.errors import ConfigError
from ragproof.files import read_text

MAX_BYTES = 1_000_000
_SHOULD_BE = "input should be "


def load_config(path: Path) -> Config:
    """Read and validate a configuration file.

    Raises:
        ConfigError: missing, malformed or invalid; the message has a line for each
            problem with file, line and key.
    """
    if not path.exists():
        raise ConfigError(
            f"configuration {path} does not exist",
            "name it with --config; `ragproof demo` writes one to start from",
        )
    return parse_config(read_text(path, "configuration", MAX_BYTES, ConfigError), path)


def parse_config(text: str, path: Path) -> Config:
    """Validate the text of a configuration file; ``path`` names it in messages.

    Raises:
        ConfigError: as :func:`load_config`.
    """
    try:
        document = load(text)
    except StrictYamlError as error:
        raise ConfigError(f"{path}:{error.line}: {error.message}") from None
    if not isinstance(document.value, dict):
        raise ConfigError(f"{path}:1: must be a mapping of keys such as endpoint and gate")
    try:
        return Config.model_validate(document.value)
    except ValidationError as error:
        found = sorted(_findings(error, document))
        raise ConfigError(
            "\n".join(dict.fromkeys(f"{path}:{line}: {message}" for line, message in found)),
            "`ragproof schema` prints all that the file may hold",
        ) from None


def config_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the configuration file."""
    schema = Config.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ragproof.yml",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def _findings(error: ValidationError, document: Document) -> Iterator[tuple[int, str]]:
    places: dict[Path_, list[Mapping[str, Any]]] = {}
    for item in error.errors(include_url=False):
        places.setdefault(_in_file(item["loc"], item["type"], document), []).append(item)
    for path, items in places.items():
        if any(len(other) > len(path) and other[: len(path)] == path for other in places):
            # The branch of a union that got further says more than "should be a number".
            items = [item for item in items if not item["type"].endswith("_type")]  # noqa: PLW2901
        for sentence in _sentences(items, path):
            yield _line(path, document), f"{_dotted(path)}: {sentence}"


def _sentences(items: list[Mapping[str, Any]], path: Path_) -> Iterable[str]:
    """What is wrong at one place, where a union has an error for each of its branches."""
    of_type = [item for item in items if item["type"].endswith("_type")]
    if len(of_type) < len(items) or not items:
        return [_sentence(item, path) for item in items if item not in of_type]
    first, *rest = (_sentence(item, path) for item in of_type)
    return [" or ".join([first, *(one.removeprefix(_SHOULD_BE) for one in rest)])]


def _in_file(loc: Path_, kind: str, document: Document) -> Path_:
    """The part of a location that is a place of the file: names of a union's branches go."""
    path: Path_ = ()
    for part in loc:
        if (*path, part) in document.lines:
            path = (*path, part)
    return (*path, loc[-1]) if kind == "missing" else path


def _line(path: Path_, document: Document) -> int:
    while path and path not in document.lines:
        path = path[:-1]
    return document.lines.get(path, 1)


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path) or "configuration"


def _sentence(item: Mapping[str, Any], path: Path_) -> str:
    if item["type"] == "extra_forbidden":
        close = get_close_matches(str(path[-1]), _keys_at(path[:-1]), n=1, cutoff=0.5)
        keys = ", ".join(_keys_at(path[:-1]))
        return "unknown key" + (
            f"; did you mean {close[0]}?" if close else f"; the keys are {keys}"
        )
    if item["type"] == "missing":
        return "is missing"
    message = str(item["msg"])
    return message[:1].lower() + message[1:]


def _keys_at(path: Path_) -> list[str]:
    """The keys known at a place of the configuration."""
    models: list[type[BaseModel]] = [Config]
    for part in path:
        fields = [
            model.model_fields[str(part)] for model in models if str(part) in model.model_fields
        ]
        if fields:
            models = [found for field in fields for found in _models_in(field.annotation)]
    return list(
        dict.fromkeys(
            field.alias or name for model in models for name, field in model.model_fields.items()
        )
    )


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
