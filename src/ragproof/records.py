"""Records that cross from one stage to the next.

What exists once a case or once a chunk is a named tuple or a slots dataclass:
small, immutable and cheap to make.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self


class Kind(StrEnum):
    """What a case tests."""

    QA = "qa"
    UNANSWERABLE = "unanswerable"
    INJECTION = "injection"


class Evidence(NamedTuple):
    """A verbatim quote that supports the expected answer, and the source it stands in."""

    quote: str
    source_id: str | None = None


class Case(NamedTuple):
    """One question with what is expected of the endpoint."""

    id: str
    question: str
    kind: Kind = Kind.QA
    expected_answer: str | None = None
    expected_source_ids: tuple[str, ...] = ()
    adversarial_payload: str | None = None
    evidence: tuple[Evidence, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    origin: dict[str, Any] | None = None


class Chunk(NamedTuple):
    """One retrieved chunk, at the rank that its position says."""

    id: str | None
    text: str | None = None
    score: float | None = None
    document_id: str | None = None


@dataclass(slots=True)
class Chunks:
    """Retrieved chunks in the order of their ranks, a column for each part: what is measured
    looks at one part of all chunks, and ten chunks are four lists and not ten objects.

    Columns are equally long; that of a part which is not mapped holds only ``None``.
    """

    ids: Sequence[str | None] = ()
    texts: Sequence[str | None] = ()
    scores: Sequence[float | None] = ()
    document_ids: Sequence[str | None] = ()

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> Self:
        """Columns of these rows."""
        return cls(*map(list, zip(*chunks, strict=True)))

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Chunk]:
        columns = (self.ids, self.texts, self.scores, self.document_ids)
        return map(Chunk._make, zip(*columns, strict=True))


class Response(NamedTuple):
    """What the endpoint said about one case. ``None``: the mapping does not ask for it."""

    answer: str | None = None
    chunks: Chunks | None = None
    citations: tuple[str, ...] | None = None


class FailureKind(StrEnum):
    """Why a case has no response."""

    REFUSED = "refused"
    UNRESOLVED = "unresolved"
    TLS = "tls"
    TIMEOUT = "timeout"
    CUT = "cut"
    AUTH = "auth"
    STATUS = "status"
    REDIRECT = "redirect"
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    SHAPE = "shape"
    REPORTED = "reported"
    FORBIDDEN = "forbidden"
    MISSING = "missing"
    NOT_ASKED = "not_asked"


class Failure(NamedTuple):
    """A case that could not be asked, with the first bad answer quoted (redacted, cut)."""

    kind: FailureKind
    message: str
    excerpt: str = ""


class Outcome(StrEnum):
    """What became of one case."""

    PASS = "pass"
    FAIL = "fail"
    UNSCORED = "unscored"
    """Asked, but nothing that decides whether it passes could be measured."""
    ERROR = "error"
    """Could not be asked."""
