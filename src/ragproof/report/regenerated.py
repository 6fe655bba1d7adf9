"""From a ledger and two sets to what is said about a dataset that was made anew."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragproof.dataset.diff import DatasetDiff
from ragproof.records import Case
from ragproof.report.escape import collapse, cut
from ragproof.report.parts import Change, Fact, Note, Reason, Regenerated, SortRow
from ragproof.report.render import render_regenerated
from ragproof.report.untrusted import Untrusted

_ID_LENGTH = 120
_QUESTION_LENGTH = 300
_VALUE_LENGTH = 300
_FACTS = {
    "generator": "Generator",
    "model": "Model",
    "domain": "Domain",
    "seed": "Seed",
    "documents": "Documents read",
    "corpus_hash": "Corpus",
    "chunking": "Size and overlap of chunks",
}


def build_regenerated(  # noqa: PLR0913 - what the ledger does not know is given
    ledger: Mapping[str, Any],
    old: Sequence[Case],
    new: Sequence[Case],
    diff: DatasetDiff,
    *,
    dataset: str,
    dataset_hash: str,
    texts: bool,
    notes: Sequence[Note] = (),
    facts: Mapping[str, str] | None = None,
    whole: str = "the ledger",
) -> Regenerated:
    """Lay the parts ready. ``ledger`` is the account as it is stored beside a dataset."""
    before, after = ({case.id: case for case in cases} for cases in (old, new))

    def changes(ids: Sequence[str], cases: Mapping[str, Case]) -> tuple[Change, ...]:
        return tuple(_change(cases[one], texts) for one in ids)

    sorts: Mapping[str, Any] = ledger.get("cases", {})
    return Regenerated(
        words=difference(diff),
        dataset=Untrusted(dataset),
        cases=f"{len(new):,}",
        hash=Untrusted(dataset_hash),
        notes=(*notes, *_short(ledger, sorts)),
        rows=tuple(_row(name, account) for name, account in sorts.items()),
        reasons=tuple(_reasons(sorts)),
        removed=changes(diff.removed, before),
        added=changes(diff.added, after),
        changed=changes([one.id for one in diff.changed], after),
        left="",
        facts=tuple(_facts(ledger, facts or {})),
        whole=whole,
    )


def difference(diff: DatasetDiff) -> str:
    """How two sets differ, in numbers."""
    words = f"{len(diff.added):,} added, {len(diff.removed):,} removed"
    if diff.changed:
        words += f", {len(diff.changed):,} changed"
    return f"{words}, {diff.same:,} the same" + (", in another order" if diff.reordered else "")


def missing(ledger: Mapping[str, Any]) -> dict[str, int]:
    """How many cases were asked for and are not there, by sort."""
    short = {
        name: int(account["requested"]) - int(account["delivered"])
        for name, account in ledger.get("cases", {}).items()
    }
    return {name: count for name, count in short.items() if count > 0}


def fit_regenerated(view: Regenerated, limit: int, size: Callable[[str], int]) -> str:
    """The text with as many cases as have room, that is not larger than ``limit``; without any
    case it is as small as it gets."""
    for smaller in _smaller(view):
        text = render_regenerated(smaller)
        if size(text) <= limit:
            break
    return text


def _smaller(view: Regenerated) -> Iterator[Regenerated]:
    yield view
    cases = len(view.removed) + len(view.added) + len(view.changed)
    while cases:
        cases //= 2
        yield view.limited_to(cases)
    yield replace(view.limited_to(0), reasons=(), facts=())


def _change(case: Case, texts: bool) -> Change:
    return Change(
        _untrusted(case.id, _ID_LENGTH),
        Untrusted(case.kind.value),
        _untrusted(case.question, _QUESTION_LENGTH) if texts else None,
    )


def _row(name: str, account: Mapping[str, Any]) -> SortRow:
    discarded, failed = (sum(account[key].values()) for key in ("discarded", "failed"))
    counts = [account[key] for key in ("requested", "delivered", "kept")]
    return SortRow(Untrusted(name), *(f"{count:,}" for count in (*counts, discarded, failed)))


def _reasons(sorts: Mapping[str, Any]) -> Iterator[Reason]:
    for name, account in sorts.items():
        for what in ("discarded", "failed"):
            for reason, count in account[what].items():
                shown = _untrusted(reason, _VALUE_LENGTH)
                yield Reason(Untrusted(name), what, f"{count:,}", shown)


def _short(ledger: Mapping[str, Any], sorts: Mapping[str, Any]) -> Iterator[Note]:
    short = missing(ledger)
    if not short:
        return
    wanted = sum(int(sorts[name]["requested"]) for name in short)
    why = (
        "the run ended early; the ledger says why."
        if ledger.get("stopped")
        else "the corpus gave no more that stood up to the checks."
    )
    yield Note(f"{sum(short.values()):,} of {wanted:,} cases are missing:", why)


def _facts(ledger: Mapping[str, Any], more: Mapping[str, str]) -> Iterator[Fact]:
    for label, value in more.items():
        if value:
            yield Fact(label, _untrusted(value, _VALUE_LENGTH))
    for key, label in _FACTS.items():
        if ledger.get(key) is not None:
            yield Fact(label, _untrusted(_text(ledger[key]), _VALUE_LENGTH))
    skipped = ledger.get("skipped")
    if skipped:
        yield Fact("Files skipped", Untrusted(f"{len(skipped):,}"))
    usage = ledger.get("usage")
    if usage:
        yield Fact("Calls", Untrusted(f"{usage['calls']:,}, {usage['cached']:,} from the cache"))
        yield Fact("Tokens", Untrusted(f"{usage['tokens_in']:,} in, {usage['tokens_out']:,} out"))
        if usage.get("cost") is not None:
            yield Fact("Cost", Untrusted(f"{usage['cost']:.4f}"))


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _untrusted(text: str, limit: int) -> Untrusted:
    return Untrusted(cut(collapse(text), limit))
