"""What ``ragproof.yml`` may say. Defaults live here and nowhere else."""

import re
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from ragproof.config.base import Model, problem
from ragproof.config.endpoint import EndpointConfig
from ragproof.errors import ConfigError
from ragproof.metrics import DIGITS, parse_metric
from ragproof.records import Kind

SourceMatch = Literal["chunk", "document", "prefix", "evidence"]
_K = Annotated[int, Field(ge=1, le=1000)]


class Replacement(Model):
    """A regular expression and what takes the place of its matches in source ids."""

    pattern: str
    with_: Annotated[str, Field(alias="with")] = ""

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        try:
            # What is put in is read before anything is looked for.
            re.compile(self.pattern).sub(self.with_, "")
        except (re.error, IndexError, RecursionError, OverflowError) as error:
            raise problem(f"not a regular expression and its replacement: {error}") from None
        return self


class Broken(NamedTuple):
    """A bound that a value breaks: ``below`` or ``above`` which limit."""

    side: Literal["below", "above"]
    limit: float


class Bounds(Model):
    """Smallest and largest value allowed, both inclusive."""

    min: float | None = None
    max: float | None = None

    def broken_by(self, value: float) -> Broken | None:
        """The bound that a value breaks.

        Compared as decimals: 0.1 + 0.7 is 0.8, and a third is 0.33333333333, whatever
        the last bits say.
        """
        value = round(value, DIGITS)
        if self.min is not None and value < round(self.min, DIGITS):
            return Broken("below", self.min)
        if self.max is not None and value > round(self.max, DIGITS):
            return Broken("above", self.max)
        return None

    @model_validator(mode="after")
    def _bound_something(self) -> Self:
        if self.min is None and self.max is None:
            raise problem("needs min or max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise problem(f"min {self.min:g} is above max {self.max:g}")
        return self


class Required(Model):
    """Cases that must each pass, by id or by tag."""

    cases: list[str] = []
    tags: list[str] = []


class GateConfig(Model):
    """What makes the gate fail."""

    thresholds: Annotated[
        dict[str, Bounds],
        Field(
            description="Bounds by metric, on all cases or on a slice such as "
            "retrieval.recall@10[tag=billing]."
        ),
    ] = {}
    required: Required = Required()
    allow_failing: Annotated[
        list[str], Field(description="Ids of cases known to fail; told when they start to pass.")
    ] = []
    min_coverage: Annotated[
        float, Field(ge=0, le=1, description="Share of cases that must have been answered.")
    ] = 0.95

    @field_validator("thresholds", mode="wrap")
    @classmethod
    def _known(cls, value: Any, read: ValidatorFunctionWrapHandler) -> dict[str, Bounds]:
        return _read_bounds(value, read)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        both = sorted(set(self.required.cases) & set(self.allow_failing))
        if both:
            raise problem(f"in required and in allow_failing: {', '.join(map(repr, both[:5]))}")
        return self

    def enforces(self) -> bool:
        """Whether anything measured could make this gate fail."""
        return bool(self.thresholds or self.required.cases or self.required.tags)


class Config(Model):
    """The whole of ``ragproof.yml``."""

    version: Literal[1] = 1
    dataset: Annotated[
        str | None, Field(description="Path of the dataset, relative to this file.")
    ] = None
    endpoint: EndpointConfig | None = None
    k: Annotated[
        _K | Annotated[list[_K], Field(min_length=1, max_length=20)],
        Field(description="Cut-offs of the retrieval metrics; {{ k }} is the largest."),
    ] = [1, 5, 10]
    source_match: Annotated[
        SourceMatch, Field(description="What expected_source_ids are compared with.")
    ] = "chunk"
    strip_prefix: Annotated[
        str | list[str], Field(description="Taken off the front of source ids before comparing.")
    ] = []
    replace: Annotated[
        list[Replacement], Field(description="Replaced in source ids before comparing.")
    ] = []
    metrics: Annotated[
        list[str], Field(description="Measured beside the usual ones, such as retrieval.map@10.")
    ] = []
    case_pass: Annotated[
        dict[Annotated[Kind, Field(strict=False)], dict[str, Bounds]],
        Field(description="When a case passes, by kind: bounds on its own scores."),
    ] = {}
    gate: GateConfig = GateConfig()

    @field_validator("case_pass", mode="wrap")
    @classmethod
    def _rules(
        cls, value: Any, read: ValidatorFunctionWrapHandler
    ) -> dict[Kind, dict[str, Bounds]]:
        misfits = [
            _misplaced(message, kind, name)
            for kind, rules in _items(value)
            if kind in set(Kind)
            for name, bounds in _items(rules)
            for message in _misfits(name, bounds, Kind(kind))
        ]
        made: dict[Kind, dict[str, Bounds]] = _read_all(value, read, misfits)
        return made

    @field_validator("metrics", mode="wrap")
    @classmethod
    def _measurable(cls, value: Any, read: ValidatorFunctionWrapHandler) -> list[str]:
        names = enumerate(value) if isinstance(value, list) else ()
        misfits = [
            _misplaced(message, place)
            for place, name in names
            if isinstance(name, str)
            for message in _misnamed(name, sliced=False)
        ]
        made: list[str] = _read_all(value, read, misfits)
        return made

    def cutoffs(self) -> list[int]:
        """The values of k, rising."""
        return sorted({self.k} if isinstance(self.k, int) else set(self.k))


def _read_bounds(value: Any, read: ValidatorFunctionWrapHandler) -> dict[str, Bounds]:
    misfits = [
        _misplaced(message, name)
        for name, bounds in _items(value)
        for message in _misfits(name, bounds, None)
    ]
    made: dict[str, Bounds] = _read_all(value, read, misfits)
    return made


def _read_all(
    value: Any, read: ValidatorFunctionWrapHandler, misfits: list[InitErrorDetails]
) -> Any:
    """Read a value whose names do not fit, so that all that is wrong is said at once."""
    try:
        made = read(value)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            misfits.append(_misplaced(item["msg"], *item["loc"], kind=item["type"]))
    if misfits:
        raise ValidationError.from_exception_data("ragproof", misfits)
    return made


def _misplaced(message: str, *loc: int | str, kind: str = "ragproof") -> InitErrorDetails:
    problem = PydanticCustomError(kind, "{message}", {"message": message})
    return InitErrorDetails(type=problem, loc=loc, input=None)


def _items(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _misfits(name: str, bounds: Any, kind: Kind | None) -> Iterator[str]:
    """Why a metric's name, or its bounds as far as they are numbers, cannot be."""
    yield from (named := list(_misnamed(name, sliced=True)))
    if named:
        return
    ref = parse_metric(name)
    for key, end in _items(bounds):
        number = isinstance(end, int | float) and not isinstance(end, bool) and isfinite(end)
        high = ref.metric.high
        if key in Bounds.model_fields and number and (end < 0 or (high is not None and end > high)):
            top = " and up" if high is None else f" to {high:g}"
            yield f"{end:.10g} is outside the metric's range, 0{top}"
    if kind is not None and (ref.slice is not None or ref.metric.aggregate != "mean"):
        yield "is no score of a single case"
    elif kind is not None and kind not in ref.metric.kinds:
        yield f"does not apply to {kind} cases"


def _misnamed(name: str, *, sliced: bool) -> Iterator[str]:
    try:
        ref = parse_metric(name)
    except ConfigError as error:
        yield f"{error.message}: {error.hint}"
        return
    if str(ref) != name:
        yield f"{name!r} is spelled {ref}"
    if ref.slice is not None and not sliced:
        yield f"{name!r}: a slice belongs into gate.thresholds"
