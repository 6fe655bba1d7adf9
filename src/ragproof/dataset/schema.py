"""What one case of a dataset file may hold, checked at the edge."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ragproof.records import Case, Evidence, Kind
from ragproof.strictjson import sha256_hex

DOCUMENTED = (
    "id",
    "kind",
    "question",
    "expected_answer",
    "expected_source_ids",
    "adversarial_payload",
)
"""Fields that the canonical form always holds, null or empty when unset."""

_LONGEST = 80
# Looking up a member of an enumeration takes as long as all of such a check.
_QA, _INJECTION = Kind.QA, Kind.INJECTION
_Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
_Tag = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[^,=\[\]\s]([^,=\[\]]*[^,=\[\]\s])?$")
]
_Id = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class EvidenceModel(BaseModel):
    """A verbatim quote with its source."""

    model_config = ConfigDict(extra="forbid", strict=True)

    quote: _Text
    source_id: str | None = None


class CaseModel(BaseModel):
    """One JSON object of ``dataset.jsonl`` or of a frozen set."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: _Id | None = None
    kind: Annotated[Kind, Field(strict=False)] = Kind.QA
    question: _Text
    expected_answer: str | None = None
    expected_source_ids: list[_Text] = []
    adversarial_payload: str | None = None
    evidence: list[EvidenceModel] | None = None
    tags: list[_Tag] | None = None
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")] | None = None
    origin: dict[str, Any] | None = None


class CaseProblems(Exception):  # noqa: N818
    """All that is wrong with one case, as pairs of field and sentence."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(problems)
        self.problems = problems


def read_case(raw: Any) -> Case:
    """Make a case of a parsed JSON object; an absent id is derived from kind and question.

    Raises:
        CaseProblems: it is no valid case.
    """
    lacking = _lacking(raw)
    try:
        model = _validate(raw)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise CaseProblems([*map(_problem, found), *lacking]) from None
    if lacking:
        raise CaseProblems(lacking)
    return Case(
        id=model.id or derived_id(model.kind, model.question),
        question=model.question,
        kind=model.kind,
        expected_answer=model.expected_answer,
        expected_source_ids=tuple(model.expected_source_ids),
        adversarial_payload=model.adversarial_payload,
        evidence=_evidence(model.evidence) if model.evidence else (),
        tags=tuple(model.tags or ()),
        language=model.language,
        origin=model.origin,
    )


_validate = TypeAdapter(CaseModel).validator.validate_python


def _evidence(items: list[EvidenceModel]) -> tuple[Evidence, ...]:
    return tuple([Evidence(item.quote, item.source_id) for item in items])


def derived_id(kind: Kind, question: str) -> str:
    """Id of a case that has none: its kind and 12 hex digits of its question's hash."""
    return f"{kind}-{sha256_hex(question)[:12]}"


def _lacking(raw: Any) -> list[tuple[str, str]]:
    """What the kind of a case needs and the case does not have."""
    if not isinstance(raw, dict):
        return []
    kind = raw.get("kind", _QA)
    if kind == _QA and raw.get("expected_source_ids", []) == []:
        return [("expected_source_ids", "a qa case needs at least one expected source id")]
    payload = raw.get("adversarial_payload")
    if kind == _INJECTION and (payload is None or not str(payload).strip()):
        return [("adversarial_payload", "an injection case needs an adversarial payload")]
    return []


def _problem(item: Mapping[str, Any]) -> tuple[str, str]:
    loc = item["loc"]
    field = ".".join(_cut(str(part)) for part in loc) or "case"
    match item["type"]:
        case "extra_forbidden":
            model = EvidenceModel if len(loc) > 1 else CaseModel
            nearest = get_close_matches(str(loc[-1])[:_LONGEST], model.model_fields, n=1)
            return field, "unknown field" + (f"; did you mean {nearest[0]}?" if nearest else "")
        case "missing":
            return field, "is missing"
        case "string_pattern_mismatch" if field == "language":
            return field, "is not a language tag such as en or zh-Hans"
        case "string_pattern_mismatch" if loc[0] == "tags":
            return field, "may not hold , = [ ] nor begin or end with a space"
        case "string_pattern_mismatch" | "string_too_short":
            return field, "is empty"
        case "model_type" | "model_attributes_type":
            return field, "must be a JSON object"
    return field, str(item["msg"][:1].lower() + item["msg"][1:])


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def case_dict(case: Case) -> dict[str, Any]:
    """The fields of a case as hashed and written: documented ones always, ours when set."""
    fields: dict[str, Any] = {
        "id": case.id,
        "kind": case.kind.value,
        "question": case.question,
        "expected_answer": case.expected_answer,
        "expected_source_ids": list(case.expected_source_ids),
        "adversarial_payload": case.adversarial_payload,
    }
    if case.evidence:
        fields["evidence"] = [
            {"quote": item.quote} if item.source_id is None else item._asdict()
            for item in case.evidence
        ]
    if case.tags:
        fields["tags"] = list(case.tags)
    if case.language is not None:
        fields["language"] = case.language
    if case.origin is not None:
        fields["origin"] = case.origin
    return fields
