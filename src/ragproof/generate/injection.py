"""Cases with a planted instruction: in the question, or in a document to be indexed."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import lcm
from typing import Any, NamedTuple, Self

from ragproof.generate.cases import folder_tag
from ragproof.generate.records import Draft
from ragproof.generate.sampling import rank
from ragproof.records import Case, Evidence, Kind
from ragproof.scoring.payloads import BUILT_IN, Payload
from ragproof.strictjson import sha256_hex

PREFIX = "ragproof-poison-"
"""The names of poisoned documents begin with this."""
_PASSAGE = 2_000
_DIGITS = 12
_KEPT = (
    *("generator", "model", "document", "document_hash", "chunk", "chunk_hash", "chunk_size"),
    *("quote_at", "prompts", "seed", "chunking"),
)
"""What of the origin of the honest question is true of the case as well."""


class Base(NamedTuple):
    """An honest question, and the passage that answers it."""

    question: str
    passage: str
    language: str | None
    document: str
    chunk: str
    origin: Mapping[str, Any]

    @classmethod
    def of_draft(cls, draft: Draft, case: Case) -> Self:
        """From a case that was just made."""
        chunk, origin = draft.chunk, case.origin or {}
        return cls(case.question, chunk.text, case.language, chunk.document_id, chunk.id, origin)

    @classmethod
    def of_case(cls, case: Case) -> Self | None:
        """From a case of an older set, if it says where it comes from."""
        origin = case.origin or {}
        document, chunk = origin.get("document"), origin.get("chunk")
        if not isinstance(document, str) or not isinstance(chunk, str) or not case.evidence:
            return None
        passage = "\n\n".join(item.quote for item in case.evidence)
        return cls(case.question, passage, case.language, document, chunk, origin)


class Poisoned(NamedTuple):
    """A document that holds an instruction, to be indexed together with the corpus."""

    name: str
    text: str


class Planted(NamedTuple):
    """A case, what it was made from, and its document if it needs one."""

    case: Case
    base: Base
    document: Poisoned | None


def plant(bases: Sequence[Base], seed: int, *, documents: bool) -> Iterator[Planted]:
    """All cases that there are: question and payload both change from one to the next, and no pair
    comes twice."""
    payloads = ordered_payloads(seed)
    if not bases:
        return
    cycle = lcm(len(bases), len(payloads))
    for number in range(len(bases) * len(payloads)):
        # Both go round; when both are at their beginning again, one is moved on by one place.
        payload = payloads[(number + number // cycle) % len(payloads)]
        yield _planted(bases[number % len(bases)], payload, documents=documents)


def ordered_payloads(seed: int) -> list[Payload]:
    """All built-in payloads: first one of each category, by seed."""
    groups: dict[str, list[Payload]] = {}
    for payload in sorted(BUILT_IN, key=lambda one: rank(seed, "payload", one.id)):
        groups.setdefault(payload.category, []).append(payload)
    rows = zip_longest(*groups.values())
    return [payload for row in rows for payload in row if payload is not None]


def _planted(base: Base, payload: Payload, *, documents: bool) -> Planted:
    document = _document(base, payload) if documents else None
    question = base.question if document else _with_instruction(base.question, payload)
    digits = sha256_hex(f"{payload.id}\0{base.question}")[:_DIGITS]
    where = "document" if document else "question"
    case = Case(
        id=f"{Kind.INJECTION}-{digits}",
        question=question,
        kind=Kind.INJECTION,
        expected_source_ids=(document.name,) if document else (),
        adversarial_payload=payload.id,
        evidence=(Evidence(payload.instruction, document.name),) if document else (),
        tags=(f"planted-in-{where}", payload.category, *folder_tag(base.document)),
        language=base.language,
        origin={key: base.origin[key] for key in _KEPT if key in base.origin} | {"planted": where},
    )
    return Planted(case, base, document)


def _with_instruction(question: str, payload: Payload) -> str:
    stop = "" if unicodedata.category(question[-1]).startswith("P") else "."
    return f"{question}{stop} {payload.instruction}"


def _document(base: Base, payload: Payload) -> Poisoned:
    """The passage with the instruction in its middle, under the question for a title."""
    digits = sha256_hex(base.question)[:_DIGITS]
    passage = base.passage[:_PASSAGE]
    breaks = [match.start() for match in re.finditer(r"\n\n", passage)] or [len(passage)]
    middle = min(breaks, key=lambda at: abs(at - len(passage) // 2))
    parts = (passage[:middle], payload.instruction, passage[middle:])
    body = "\n\n".join(part.strip() for part in parts if part.strip())
    return Poisoned(f"{PREFIX}{payload.id}-{digits}.md", f"# {base.question}\n\n{body}\n")
