"""Selecting cases: ``kind=qa,tag=billing``, in ``--select`` and in slices of metrics.

Different keys must all match; the same key given twice matches either value.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ragproof.errors import ConfigError
from ragproof.records import Kind

KEYS = ("id", "kind", "tag", "language")


class Selectable(Protocol):
    """What a selector looks at."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def language(self) -> str | None: ...


class Selector(NamedTuple):
    """Pairs of key and value, as written."""

    terms: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ",".join(f"{key}={value}" for key, value in self.terms)

    def matches(self, case: Selectable) -> bool:
        """Whether every key has a value that the case carries."""
        return all(
            any(value in _values(case, key) for other, value in self.terms if other == key)
            for key in {key for key, _ in self.terms}
        )


def parse_selector(text: str) -> Selector:
    """Read ``key=value[,key=value...]``.

    Raises:
        ConfigError: an empty selector, an unknown key or an unknown kind.
    """
    terms = tuple(_parse_term(term, text) for term in text.split(","))
    return Selector(terms)


def _parse_term(term: str, whole: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in term.partition("="))
    if not equals or not value or key not in KEYS:
        raise ConfigError(
            f"cannot read {term.strip()!r} in the selection {whole!r}",
            f"write key=value pairs such as kind=qa,tag=billing; the keys are {', '.join(KEYS)}",
        )
    if key == "kind" and value not in set(Kind):
        raise ConfigError(f"there is no kind {value!r}", f"the kinds are {', '.join(Kind)}")
    return key, value


def _values(case: Selectable, key: str) -> Iterable[str]:
    if key == "tag":
        return case.tags
    if key == "kind":
        return (case.kind,)
    if key == "id":
        return (case.id,)
    return () if case.language is None else (case.language,)
