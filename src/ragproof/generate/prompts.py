"""The prompts: Jinja templates that may be replaced, and can do nothing but print data.

A template prints what it is given, chooses and repeats. It cannot call, assign, calculate or reach
into anything, so that the time and the size of a prompt are bounded by those of what goes in. Texts
of documents and of models are printed by the filter ``data`` alone, between marks that they cannot
hold.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ragproof.errors import ConfigError
from ragproof.files import read_text
from ragproof.strictjson import sha256_hex

if TYPE_CHECKING:
    from jinja2 import Template, nodes
    from jinja2.sandbox import SandboxedEnvironment

NAMES = ("question", "several", "solve", "check", "elsewhere", "unanswerable", "answerable")
DOMAINS = ("general", "legal", "medical", "technical")
MAX_TEMPLATE = 50_000
MAX_PROMPT = 400_000
HASH_DIGITS = 12
_SUFFIX = ".jinja"
_FOLDER = "domains"
_NESTED = 2
_FILTERS = ("data", "length", "trim", "lower", "upper", "first", "last")
_NODES = frozenset(
    {"Template", "Output", "TemplateData", "Name", "Const", "Getattr", "If", "For", "Filter"}
    | {"Test", "Compare", "Operand", "And", "Or", "Not", "CondExpr"}
)


class PromptError(ConfigError):
    """A template cannot be used."""


class Data:
    """A text of others. Only the filter ``data`` prints it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> NoReturn:
        raise TypeError("a text of a document or of a model needs the filter: {{ ... | data }}")

    __html__ = __str__


class Passage(NamedTuple):
    """A chunk as templates see it: where it stands, and its text."""

    source: Data
    headings: Data | None
    text: Data


class Prompts(NamedTuple):
    """The templates of one run. ``hashes`` tells which they are: name to hexadecimal digits."""

    domain: str
    hashes: Mapping[str, str]
    templates: Mapping[str, "Template"]
    guidance: str

    @property
    def hash(self) -> str:
        """One hash over all of them."""
        return sha256_hex(repr(sorted(self.hashes.items())))[:HASH_DIGITS]

    @property
    def tags(self) -> tuple[str, ...]:
        """What cases are tagged with: the domain, unless it is the general one."""
        return () if self.domain == DOMAINS[0] else (self.domain,)

    def render(self, name: str, **data: Any) -> str:
        """The prompt of that name. Texts of others in ``data`` must be :class:`Data`.

        Raises:
            PromptError: the template does not fit what it is given, or the prompt is too large.
        """
        from jinja2 import TemplateError  # noqa: PLC0415

        parts, size = [], 0
        try:
            for part in self.templates[name].generate(guidance=self.guidance, **data):
                size += len(part)
                if size > MAX_PROMPT:
                    raise PromptError(
                        f"the prompt {name} grows beyond {MAX_PROMPT:,} characters",
                        "use smaller chunks, or mend the template",
                    )
                parts.append(part)
        except (TemplateError, TypeError, ValueError) as error:
            raise PromptError(
                f"the template {name}{_SUFFIX} cannot be filled in: {error}", "mend the template"
            ) from None
        return "".join(parts)


def load_prompts(domain: str = "general", folder: Path | None = None) -> Prompts:
    """The templates that come with ragproof, those in ``folder`` in place of them.

    A folder holds any of ``question.jinja``, ... and ``domains/NAME.jinja``, which may be a new
    domain.

    Raises:
        PromptError: a file is none of these, is too large, or is no template of this kind; or the
            domain is unknown.
    """
    given = _own_files(folder) if folder is not None else {}
    shipped = _shipped()
    known = sorted({key.partition("/")[2] for key in (*shipped, *given) if "/" in key})
    if domain not in known:
        raise PromptError(f"there is no domain {domain!r}", f"use one of {', '.join(known)}")
    chosen = {name: given.get(name, shipped[name]) for name in NAMES}
    key = f"{_FOLDER}/{domain}"
    guide = given.get(key, shipped.get(key, ""))
    templates = {name: _compile(name, source) for name, source in chosen.items()}
    guidance = _compile(key, guide).render().strip()
    hashes = {name: sha256_hex(text)[:HASH_DIGITS] for name, text in {**chosen, key: guide}.items()}
    return Prompts(domain, hashes, templates, guidance)


@cache
def _shipped() -> Mapping[str, str]:
    from importlib.resources import files  # noqa: PLC0415

    root = files("ragproof.generate") / "templates"
    found = {name: root / f"{name}{_SUFFIX}" for name in NAMES}
    found |= {f"{_FOLDER}/{name}": root / _FOLDER / f"{name}{_SUFFIX}" for name in DOMAINS}
    return {name: path.read_text(encoding="utf-8") for name, path in found.items()}


def _own_files(folder: Path) -> Mapping[str, str]:
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        inner = sorted((folder / _FOLDER).iterdir()) if (folder / _FOLDER).is_dir() else []
    except OSError as error:
        raise PromptError(
            f"the folder of prompts {folder} cannot be read: {error.strerror}", "check --prompts"
        ) from None
    found = {}
    for path in [*(one for one in paths if one.name != _FOLDER), *inner]:
        name = path.relative_to(folder).as_posix().removesuffix(_SUFFIX)
        if path.suffix != _SUFFIX or not (name in NAMES or "/" in name):
            close = get_close_matches(name, NAMES, n=1)
            hint = f"did you mean {close[0]}{_SUFFIX}?" if close else _WHAT_FILES
            raise PromptError(f"{path} is no template that ragproof uses", hint)
        found[name] = read_text(path, "template", MAX_TEMPLATE, PromptError)
    return found


_WHAT_FILES = f"it uses {', '.join(name + _SUFFIX for name in NAMES)} and {_FOLDER}/NAME{_SUFFIX}"


def _compile(name: str, source: str) -> "Template":
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415

    environment = _environment()
    try:
        tree = environment.parse(source)
        for problem in _problems(tree, 0):
            raise PromptError(f"{name}{_SUFFIX}:{problem}", "a template only prints data")
        return environment.from_string(tree)
    except TemplateSyntaxError as error:
        raise PromptError(f"{name}{_SUFFIX}:{error.lineno}: {error.message}", "mend it") from None
    except RecursionError:
        raise PromptError(f"{name}{_SUFFIX}: is nested too deep", "mend it") from None


def _problems(node: "nodes.Node", loops: int) -> Iterator[str]:
    """What a template holds that could take more time or room than what it is given."""
    kind = type(node).__name__
    loops += kind == "For"
    if kind not in _NODES:
        yield f"{node.lineno}: {kind} is not allowed"
    elif loops > _NESTED or (kind == "For" and getattr(node, "recursive", False)):
        yield f"{node.lineno}: loops are nested too deep"
    elif kind == "Filter" and getattr(node, "name", "") not in _FILTERS:
        yield f"{node.lineno}: the filter {getattr(node, 'name', '')} is not allowed"
    for child in node.iter_child_nodes():
        yield from _problems(child, loops)


@cache
def _environment() -> "SandboxedEnvironment":
    from jinja2 import StrictUndefined  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,
    )
    environment.globals.clear()
    environment.filters = {
        name: _data if name == "data" else environment.filters[name] for name in _FILTERS
    }
    return environment


def _data(value: Data | Sequence[Data], name: str = "data") -> str:
    """A text of others between two marks that it does not hold."""
    if not isinstance(value, Data):
        raise TypeError("the filter data is for texts of documents and models")
    text = value._text
    mark = sha256_hex(text.encode("utf-8", "replace"))[:8]
    while mark in text:
        mark = sha256_hex(mark)[:8]
    return f"<{name}-{mark}>\n{text.strip()}\n</{name}-{mark}>"
