"""What ``ragproof.yml`` may say. Defaults live here and nowhere else."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from ragproof.errors import ConfigError
from ragproof.metrics import parse_metric
from ragproof.records import Kind

Paths = Annotated[
    str | list[str], Field(description="A JSONPath (RFC 9535), or several to try in turn.")
]
SourceMatch = Literal["chunk", "document", "prefix", "evidence"]
_K = Annotated[int, Field(ge=1, le=1000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class ChunkMapping(_Model):
    """Where the parts of a chunk stand; ``$`` is the chunk, or the whole response where
    ``chunks`` is not given and the parts are parallel lists."""

    id: Paths | None = None
    text: Paths | None = None
    score: Paths | None = None
    document_id: Paths | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.id is None and self.text is None and self.document_id is None:
            raise _problem("a chunk needs a path for id, text or document_id")
        return self


class ResponseMapping(_Model):
    """Where the parts of the answer stand in the JSON that the endpoint sends."""

    answer: Annotated[
        Paths | None,
        Field(description="The answer's text; several texts that one path finds are joined."),
    ] = None
    chunks: Annotated[
        Paths | None,
        Field(description="The retrieved chunks in order of rank; several paths are joined."),
    ] = None
    chunk: ChunkMapping | None = None
    citations: Annotated[
        Paths | None, Field(description="Ids of the chunks or documents that the answer cites.")
    ] = None
    error_when: Annotated[
        str | None,
        Field(
            description="A JSONPath that finds a value other than null, false, 0 and empty "
            "ones only where the response, though HTTP 200, is an error."
        ),
    ] = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.chunks is not None and self.chunk is None:
            raise _problem("chunks needs chunk, which says where id, text and document_id stand")
        if self.answer is None and self.chunk is None and self.citations is None:
            raise _problem("maps nothing: give answer, or chunks and chunk")
        return self


class RequestConfig(_Model):
    """One HTTP request, asked once for each case."""

    url: Annotated[str, Field(description="http or https; {{ question }} is percent-encoded.")]
    method: Literal["GET", "POST", "PUT"] = "POST"
    headers: dict[str, str] = {}
    body: Annotated[
        Any,
        Field(
            description="Sent as JSON. In its texts {{ question }}, {{ k }} and {{ case.id }} "
            "are replaced; a text that is only {{ k }} becomes a number."
        ),
    ] = None
    response: ResponseMapping


class EndpointConfig(_Model):
    """The RAG endpoint: one request, or one to retrieve and one to answer."""

    url: str | None = None
    method: Literal["GET", "POST", "PUT"] | None = None
    headers: dict[str, str] | None = None
    body: Any = None
    response: ResponseMapping | None = None
    retrieve: RequestConfig | None = None
    answer: RequestConfig | None = None

    timeout: Annotated[
        float, Field(gt=0, le=3600, description="Seconds for one whole call, to its last byte.")
    ] = 60.0
    retries: Annotated[
        int,
        Field(
            ge=0,
            le=20,
            description="Further tries after a refused, reset or cut "
            "connection and the statuses 408, 425, 429 and 5xx.",
        ),
    ] = 3
    max_wait: Annotated[
        float, Field(ge=0, le=3600, description="Seconds a case may wait between its tries.")
    ] = 30.0
    concurrency: Annotated[int, Field(ge=1, le=256, description="Cases in flight.")] = 8
    rate_limit: Annotated[float | None, Field(gt=0, description="Requests a second at most.")] = (
        None
    )
    max_response_mb: Annotated[
        float, Field(gt=0, le=1000, description="Largest response taken, decoded, in MB.")
    ] = 10.0
    follow_redirects: Annotated[
        bool, Field(description="Follow redirects, on the endpoint's own host only.")
    ] = False
    ca_file: Annotated[
        str | None, Field(description="File of CA certificates to trust instead of the usual.")
    ] = None

    @model_validator(mode="after")
    def _one_way_to_ask(self) -> Self:
        single = [
            name
            for name in ("url", "method", "headers", "body", "response")
            if getattr(self, name) is not None
        ]
        if self.retrieve is None and self.answer is None:
            if self.url is None or self.response is None:
                raise _problem("needs url and response (or retrieve and answer with theirs)")
        elif single:
            raise _problem(f"{single[0]} stands beside retrieve and answer: move it into them")
        return self

    def requests(self) -> dict[str, RequestConfig]:
        """The requests to make for a case, by name, in order."""
        if self.url is not None and self.response is not None:
            return {
                "answer": RequestConfig(
                    url=self.url,
                    method=self.method or "POST",
                    headers=self.headers or {},
                    body=self.body,
                    response=self.response,
                )
            }
        both = {"retrieve": self.retrieve, "answer": self.answer}
        return {name: request for name, request in both.items() if request is not None}


class Replacement(_Model):
    """A regular expression and what takes the place of its matches in source ids."""

    pattern: str
    with_: Annotated[str, Field(alias="with")] = ""


class Bounds(_Model):
    """Smallest and largest value allowed, both inclusive."""

    min: float | None = None
    max: float | None = None

    @model_validator(mode="after")
    def _bound_something(self) -> Self:
        if self.min is None and self.max is None:
            raise _problem("needs min or max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise _problem(f"min {self.min:g} is above max {self.max:g}")
        return self


class Required(_Model):
    """Cases that must each pass, by id or by tag."""

    cases: list[str] = []
    tags: list[str] = []


class GateConfig(_Model):
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

    @field_validator("thresholds")
    @classmethod
    def _known(cls, value: dict[str, Bounds]) -> dict[str, Bounds]:
        return _check_bounds(value)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        both = sorted(set(self.required.cases) & set(self.allow_failing))
        if both:
            raise _problem(f"{both[0]!r} stands in required and in allow_failing")
        return self

    def enforces(self) -> bool:
        """Whether anything measured could make this gate fail."""
        return bool(self.thresholds or self.required.cases or self.required.tags)


class Config(_Model):
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
        dict[Kind, dict[str, Bounds]],
        Field(description="When a case passes, by kind: bounds on its own scores."),
    ] = {}
    gate: GateConfig = GateConfig()

    @field_validator("case_pass", mode="before")
    @classmethod
    def _kinds(cls, value: Any) -> Any:
        if isinstance(value, dict):
            unknown = [key for key in value if key not in set(Kind)]
            if unknown:
                raise _problem(f"there is no kind {unknown[0]!r}; the kinds are {', '.join(Kind)}")
            return {Kind(key): bounds for key, bounds in value.items()}
        return value

    @field_validator("case_pass")
    @classmethod
    def _rules(cls, value: dict[Kind, dict[str, Bounds]]) -> dict[Kind, dict[str, Bounds]]:
        for kind, bounds in value.items():
            _check_bounds(bounds, kind)
        return value

    @field_validator("metrics")
    @classmethod
    def _measurable(cls, value: list[str]) -> list[str]:
        for name in value:
            try:
                ref = parse_metric(name)
            except ConfigError as error:
                raise _problem(f"{error.message}: {error.hint}") from None
            if ref.slice is not None:
                raise _problem(f"{name!r}: a slice belongs into gate.thresholds")
        return value

    def cutoffs(self) -> list[int]:
        """The values of k, rising."""
        return sorted({self.k} if isinstance(self.k, int) else set(self.k))


def _check_bounds(bounds: dict[str, Bounds], kind: Kind | None = None) -> dict[str, Bounds]:
    wrong = [message for name, bound in bounds.items() for message in _misfits(name, bound, kind)]
    if wrong:
        raise _problem("; ".join(wrong))
    return bounds


def _misfits(name: str, bound: Bounds, kind: Kind | None) -> Iterator[str]:
    try:
        metric = (ref := parse_metric(name)).metric
    except ConfigError as error:
        yield f"{error.message}: {error.hint}"
        return
    for end in (bound.min, bound.max):
        if end is not None and (end < 0 or (metric.high is not None and end > metric.high)):
            top = " and up" if metric.high is None else f" to {metric.high:g}"
            yield f"{name}: {end:g} is outside the metric's range, 0{top}"
    if kind is not None and (ref.slice is not None or metric.aggregate != "mean"):
        yield f"{name!r} is no score of a single case"
    elif kind is not None and kind not in metric.kinds:
        yield f"{name!r} does not apply to {kind} cases"


def _problem(message: str) -> PydanticCustomError:
    return PydanticCustomError("ragproof", "{message}", {"message": message})
