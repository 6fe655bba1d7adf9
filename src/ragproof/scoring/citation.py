"""Whether an answer cites what was retrieved for it."""

from collections.abc import Iterable

from ragproof.records import Chunks


def validity(citations: Iterable[str], chunks: Chunks) -> float | None:
    """Share of the distinct citations that name a retrieved chunk or its document.

    ``None`` when nothing is cited. Range 0 to 1, higher is better. A citation of
    something that was not retrieved is made up, or was carried over from elsewhere.
    """
    cited = set(citations)
    if not cited:
        return None
    return len(cited.intersection([*chunks.ids, *chunks.document_ids])) / len(cited)
