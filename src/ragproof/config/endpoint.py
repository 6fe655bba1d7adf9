"""How the endpoint is asked, and where the parts of its answer stand."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ragproof.config.base import Model, problem

Paths = Annotated[
    str | list[str], Field(description="A JSONPath (RFC 9535), or several to try in turn.")
]


class ChunkMapping(Model):
    """Where the parts of a chunk stand; ``$`` is the chunk, or the whole response where
    ``chunks`` is not given and the parts are parallel lists."""

    id: Paths | None = None
    text: Paths | None = None
    score: Paths | None = None
    document_id: Paths | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.id is None and self.text is None and self.document_id is None:
            raise problem("a chunk needs a path for id, text or document_id")
        return self


class ResponseMapping(Model):
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
            raise problem("chunks needs chunk, which says where id, text and document_id stand")
        if self.answer is None and self.chunk is None and self.citations is None:
            raise problem("maps nothing: give answer, or chunks and chunk")
        return self


class RequestConfig(Model):
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


class EndpointConfig(Model):
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
                raise problem("needs url and response (or retrieve and answer with theirs)")
        elif single:
            raise problem(f"{single[0]} stands beside retrieve and answer: move it into them")
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
