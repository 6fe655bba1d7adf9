"""Which of the retrieved chunks are relevant, by the ways in which sources can be matched."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from ragproof.records import Case, Chunks
from ragproof.scoring.text import normalise_quote

_BOUNDARIES = "/#?:"

Normalise = Callable[[str], str]


class Relevance(NamedTuple):
    """Where the relevant items of one case stand.

    ``ranks`` rise from 1; ``found[i]`` gold items are first found at ``ranks[i]``,
    of ``gold`` in all.
    """

    ranks: tuple[int, ...]
    found: tuple[int, ...]
    gold: int

    @property
    def items(self) -> int:
        """Items a perfect order would show: gold items found in one chunk are one item."""
        return len(self.ranks) + self.gold - sum(self.found)

    def found_within(self, k: int) -> int:
        """Gold items found within the first ``k`` ranks."""
        return sum(self.found[: bisect_right(self.ranks, k)])


class NotApplicableError(ValueError):
    """Sources of this case cannot be matched in the way configured; says why."""


Match = Callable[[Case, Chunks], Relevance]


def normaliser(prefixes: Iterable[str], replacements: Iterable[tuple[str, str]]) -> Normalise:
    """A function that brings source ids into the form in which they are compared.

    The longest prefix that fits is taken off, then the replacements are made in order.

    Raises:
        ValueError: a pattern that is no regular expression, or a replacement that
            names a group which its pattern does not have.
    """
    fronts = sorted(filter(None, prefixes), key=len, reverse=True)
    rules = [_rule(pattern, replacement) for pattern, replacement in replacements]
    if not fronts and not rules:
        return _same

    def normalise(source_id: str) -> str:
        for front in fronts:
            if source_id.startswith(front):
                source_id = source_id[len(front) :]
                break
        for pattern, replacement in rules:
            source_id = pattern.sub(replacement, source_id)
        return source_id

    return normalise


def _rule(pattern: str, replacement: str) -> tuple[re.Pattern[str], str]:
    try:
        compiled = re.compile(pattern)
        compiled.sub(replacement, "")  # reads the replacement, whether or not anything matches
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern!r} with {replacement!r}: {error}") from None
    return compiled, replacement


def matcher(source_match: str, normalise: Normalise) -> Match:
    """The way of matching of that name: chunk, document, prefix or evidence."""
    if source_match == "evidence":
        return by_evidence
    by = {"chunk": by_chunk, "document": by_document, "prefix": by_prefix}[source_match]
    return partial(by, normalise)


def by_chunk(normalise: Normalise, case: Case, chunks: Chunks) -> Relevance:
    """A chunk is relevant when its id is a gold id; an id retrieved again closes up."""
    return _by_id(case, _known(chunks.ids, "id"), normalise)


def by_document(normalise: Normalise, case: Case, chunks: Chunks) -> Relevance:
    """A document counts at the rank of its first chunk, chunks of one document closing up."""
    return _by_id(case, _known(chunks.document_ids, "document_id"), normalise)


def by_prefix(normalise: Normalise, case: Case, chunks: Chunks) -> Relevance:
    """A chunk is relevant when a gold id is its ancestor: equal, or followed by / # ? or :.

    A chunk under gold ids that are found already adds none and is not relevant.
    """
    missing = {normalise(one).rstrip("/") for one in _gold(case)}
    gold = tuple(missing)
    ranks, counts = [], []
    for rank, one in enumerate(dict.fromkeys(map(normalise, _known(chunks.ids, "id"))), 1):
        if one.startswith(gold) and (new := [g for g in missing if _under(one, g)]):
            missing.difference_update(new)
            ranks.append(rank)
            counts.append(len(new))
    return Relevance(tuple(ranks), tuple(counts), len(gold))


def by_evidence(case: Case, chunks: Chunks) -> Relevance:
    """A chunk is relevant when it holds a quote of the case that no earlier one held.

    The gold items are the quotes, compared after Unicode and white-space
    normalisation; ids need not agree. Equal texts count once, at their first rank.
    """
    missing = {normalise_quote(item.quote) for item in case.evidence}
    if not missing:
        raise NotApplicableError("the case has no evidence quotes")
    if "" in missing:
        # It would be found in every chunk.
        raise NotApplicableError("an evidence quote has no visible character")
    texts = _known(chunks.texts, "text")
    total = len(missing)
    ranks, counts = [], []
    seen = set[str]()
    for text in map(normalise_quote, texts):
        seen.add(text)
        new = [quote for quote in missing if quote in text]
        if new:
            missing.difference_update(new)
            ranks.append(len(seen))
            counts.append(len(new))
            if not missing:
                break
    return Relevance(tuple(ranks), tuple(counts), total)


def _by_id(case: Case, ids: Sequence[str], normalise: Normalise) -> Relevance:
    if normalise is _same:
        gold = set(_gold(case))
        unique = dict.fromkeys(ids)
    else:
        gold = set(map(normalise, _gold(case)))
        unique = dict.fromkeys(map(normalise, ids))
    ranks = tuple([rank for rank, one in enumerate(unique, 1) if one in gold])
    return Relevance(ranks, (1,) * len(ranks), len(gold))


def _gold(case: Case) -> tuple[str, ...]:
    if not case.expected_source_ids:
        raise NotApplicableError("the case has no expected source ids")
    return case.expected_source_ids


def _known(column: Sequence[str | None], name: str) -> Sequence[str]:
    if None in column:
        raise NotApplicableError(f"a retrieved chunk has no {name}")
    return column  # type: ignore[return-value]


def _under(one: str, ancestor: str) -> bool:
    return one.startswith(ancestor) and (
        len(one) == len(ancestor) or one[len(ancestor)] in _BOUNDARIES
    )


def _same(source_id: str) -> str:
    return source_id
