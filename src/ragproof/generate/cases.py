"""From a draft to a case."""

import re
from collections.abc import Sequence

from ragproof.dataset.schema import derived_id
from ragproof.generate.origin import Maker
from ragproof.generate.records import Draft
from ragproof.generate.text import find_quote
from ragproof.records import Case, Evidence, Kind

_NO_TAG = re.compile(r"[,=\[\]\s]+")
_LONGEST_TAG = 60


def make_case(draft: Draft, maker: Maker, tags: Sequence[str] = ()) -> Case:
    """The case of a draft, with its evidence, tags and origin."""
    documents = [source.chunk.document_id for source in draft.sources]
    gold = dict.fromkeys([*documents, *draft.also]) if draft.kind is Kind.QA else {}
    return Case(
        id=derived_id(draft.kind, draft.question),
        question=draft.question,
        kind=draft.kind,
        expected_answer=draft.answer,
        expected_source_ids=tuple(gold),
        evidence=_evidence(draft),
        tags=tuple(dict.fromkeys([*draft.tags, *tags, *folder_tag(draft.chunk.document_id)])),
        language=draft.language,
        origin=maker.origin(draft),
    )


def _evidence(draft: Draft) -> tuple[Evidence, ...]:
    """The quotes, none within another of the same document."""
    found: list[Evidence] = []
    for source in draft.sources:
        quote, document = source.quote, source.chunk.document_id
        if not any(
            one.source_id == document and find_quote(quote, one.quote) is not None for one in found
        ):
            found.append(Evidence(quote, document))
    return tuple(found)


def folder_tag(document_id: str) -> tuple[str, ...]:
    """The first folder of a document as a tag, if it is in one and its name can be one. On a
    server that is the one below the scope."""
    _, on_server, address = document_id.partition("://")
    path = address.partition("/")[2] if on_server else document_id
    first, slash, _ = path.partition("/")
    tag = _NO_TAG.sub("-", first).strip("-")
    return (tag,) if slash and 0 < len(tag) <= _LONGEST_TAG else ()
