"""From a run file to the parts of its report: what is shown, in which order, how long."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ragproof.records import Outcome
from ragproof.report.escape import collapse, cut
from ragproof.report.numbers import count, number, threshold, unit
from ragproof.report.parts import (
    CaseView,
    Chunk,
    ErrorGroup,
    Fact,
    Headline,
    Note,
    Retrieved,
    Row,
    Sample,
    UnscoredGroup,
    View,
)
from ragproof.report.tally import MAX_IDS, Group, Tally
from ragproof.report.untrusted import Untrusted

ID_LENGTH = 120
QUESTION_LENGTH = 300
REASON_LENGTH = 300
ANSWER_LENGTH = 500
EXCERPT_LENGTH = 500
SETTINGS_LENGTH = 5_000
MAX_RANKS = 10
MAX_REASONS = 10
MAX_KNOWN = 20

_WORDS = {
    "pass": ("✅", "ragproof passed"),
    "fail": ("❌", "ragproof failed"),
    "error": ("⚠️", "ragproof could not judge"),
    "ungated": ("⚠️", "ragproof gated nothing"),
}


class Context(NamedTuple):
    """What the run file does not know: notes, more small print, and where the whole report is."""

    notes: tuple[Note, ...] = ()
    facts: Mapping[str, str] = {}
    whole: str = "the run file"


def build_view(
    head: Mapping[str, Any],
    cases: Iterable[Mapping[str, Any]],
    *,
    max_cases: int = 50,
    texts: bool = True,
    context: Context = Context(),  # noqa: B008 - it cannot be changed
) -> View:
    """Read a run once, cases as a stream, and keep what its report shows.

    ``texts=False`` leaves out whatever the dataset, the corpus or the endpoint said:
    questions, answers, messages and excerpts. Ids, ranks and scores stay.
    """
    gate = head["gate"] or {}
    required = frozenset(entry["case"] for entry in gate.get("required", ()))
    tally = Tally(max_cases, required)
    for case in cases:
        tally.add(case)
    known = gate.get("allow_failing") or {}
    failing = tuple(_case(case, case["id"] in required, texts) for case in tally.worst())
    return View(
        headline=_headline(head),
        notes=(*_incomplete(head), *context.notes),
        summary=_summary(head),
        dataset=_line(head["dataset"]["path"], ID_LENGTH),
        frozen=bool(head["dataset"]["frozen"]),
        gated=tuple(_gated_rows(gate)),
        measured=tuple(_measured_rows(head, gate)),
        failing=failing,
        failing_left=tally.failing - len(failing),
        errors=tuple(_error(group, texts) for group in tally.errors.largest_first()),
        unscored=tuple(_unscored(group) for group in tally.unscored.largest_first()),
        still_failing=_sample(known.get("failing", ()), MAX_KNOWN),
        now_passing=_sample(known.get("passing", ()), MAX_KNOWN),
        facts=tuple(_facts(head, context.facts)),
        settings=Untrusted(cut("\n".join(_settings(head["settings"])), SETTINGS_LENGTH)),
        whole=context.whole,
    )


def _headline(head: Mapping[str, Any]) -> Headline:
    symbol, words = _WORDS[head["verdict"]]
    reasons = head["reasons"] or [_default_reason(head)]
    others = _sample(reasons[1:], MAX_REASONS, REASON_LENGTH)
    return Headline(symbol, words, _line(reasons[0], REASON_LENGTH), others)


def _default_reason(head: Mapping[str, Any]) -> str:
    passing = f"{head['counts']['pass']:,} of {_total(head):,} cases pass"
    if head["gate"] is None:
        return f"no gate was asked for, {passing}"
    thresholds = head["gate"]["thresholds"]
    if not thresholds:
        return passing
    held = sum(entry["outcome"] == "pass" for entry in thresholds)
    return f"{held:,} of {len(thresholds):,} thresholds hold, {passing}"


def _total(head: Mapping[str, Any]) -> int:
    return sum(head["counts"].values())


def _incomplete(head: Mapping[str, Any]) -> Iterator[Note]:
    if not head["complete"]:
        answered = _total(head) - head["counts"]["error"]
        of = count(head["dataset"]["selected"], "case")
        words = f"{answered:,} of {of} answered. The numbers below are about those only."
        yield Note("Incomplete run:", words)


def _summary(head: Mapping[str, Any]) -> str:
    counts, dataset = head["counts"], head["dataset"]
    parts = [f"{counts['pass']:,} pass", f"{counts['fail']:,} fail"]
    if counts["unscored"]:
        parts.append(f"{counts['unscored']:,} not scored")
    if counts["error"]:
        parts.append(count(counts["error"], "error"))
    some = dataset["selected"] != dataset["cases"]
    selected = f" ({dataset['selected']:,} of {dataset['cases']:,} selected)" if some else ""
    return f"{count(_total(head), 'case')}{selected}: {', '.join(parts)}"


def _gated_rows(gate: Mapping[str, Any]) -> Iterator[Row]:
    """Coverage, then one row a threshold."""
    if coverage := gate.get("coverage"):
        yield _gated("coverage", {**coverage, "max": None}, n="")
    for entry in gate.get("thresholds", ()):
        yield _gated(entry["metric"], entry, _n(entry))


def _measured_rows(head: Mapping[str, Any], gate: Mapping[str, Any]) -> Iterator[Row]:
    gated = {entry["metric"] for entry in gate.get("thresholds", ())}
    for metric in head["metrics"]:
        if metric["name"] not in gated:
            name, value = metric["name"], metric["value"]
            yield Row(_line(name, ID_LENGTH), _value(name, value), "", _n(metric), "")


def _gated(name: str, entry: Mapping[str, Any], n: str) -> Row:
    bounds = [bound for bound in (entry["min"], entry["max"]) if bound is not None]
    outcome = Outcome(entry["outcome"])
    value = _value(name, entry["value"], *bounds, exact=outcome is Outcome.FAIL)
    limits = threshold(entry["min"], entry["max"]) + unit(name)
    return Row(_line(name, ID_LENGTH), value, limits, n, outcome.value)


def _value(name: str, value: float | None, *bounds: float, exact: bool = False) -> str:
    return "not measured" if value is None else number(value, *bounds, exact=exact) + unit(name)


def _n(entry: Mapping[str, Any]) -> str:
    return f"{entry['scored']:,} of {entry['of']:,}"


def _case(case: Mapping[str, Any], required: bool, texts: bool) -> CaseView:
    line = case.get("line")
    return CaseView(
        id=_line(case["id"], ID_LENGTH),
        outcome=Outcome(case["outcome"]).value,
        required=required,
        kind=_line(case["kind"], ID_LENGTH),
        tags=_sample(case["tags"], MAX_IDS),
        line=None if line is None else int(line),
        reasons=_sample(_reasons(case, texts), MAX_REASONS, REASON_LENGTH),
        question=_text(case["question"], QUESTION_LENGTH, texts),
        expected=_sample(case["expected"], MAX_RANKS),
        expected_answer=_text(case["expected_answer"], ANSWER_LENGTH, texts),
        retrieved=_retrieved(case["retrieved"], case["ranks"] or ()),
        answer=_text(case["answer"], ANSWER_LENGTH, texts),
    )


def _reasons(case: Mapping[str, Any], texts: bool) -> Sequence[str]:
    """Why a case is where it is, whatever stage it came to an end in."""
    if failure := case.get("failure"):
        message = f": {failure['message']}" if texts and failure["message"] else ""
        return [*case["reasons"], f"{failure['kind']}{message}"]
    return case["reasons"] or [f"{name}: {why}" for name, why in case["unscored"].items()]


def _retrieved(ids: Sequence[str | None] | None, ranks: Sequence[int]) -> Retrieved | None:
    if ids is None:
        return None
    chunks = (
        Chunk(_line("(no id)" if each is None else each, ID_LENGTH), rank in ranks)
        for rank, each in enumerate(ids[:MAX_RANKS], start=1)
    )
    below = [f"{rank:,}" for rank in ranks if rank > MAX_RANKS]
    more = ", …" if len(below) > MAX_RANKS else ""
    found_below = ", ".join(below[:MAX_RANKS]) + more
    return Retrieved(tuple(chunks), max(0, len(ids) - MAX_RANKS), found_below)


def _error(group: Group, texts: bool) -> ErrorGroup:
    return ErrorGroup(
        kind=_line(group.name, ID_LENGTH),
        cases=count(group.count, "case"),
        ids=_group_ids(group),
        message=_text(group.message or None, REASON_LENGTH, texts),
        excerpt=Untrusted(cut(group.excerpt, EXCERPT_LENGTH)) if texts and group.excerpt else None,
    )


def _unscored(group: Group) -> UnscoredGroup:
    return UnscoredGroup(
        reason=_line(group.name, REASON_LENGTH),
        cases=count(group.count, "case"),
        ids=_group_ids(group),
        metrics=_sample(list(group.metrics), MAX_IDS),
    )


def _group_ids(group: Group) -> Sample:
    return Sample(_sample(group.ids, MAX_IDS).shown, group.count - len(group.ids))


def _facts(head: Mapping[str, Any], more: Mapping[str, str]) -> Iterator[Fact]:
    """The small print, without what there is nothing to say about."""
    dataset, responses = head["dataset"], head["responses"]
    duration = responses["duration_s"]
    facts = {
        "Dataset": dataset["path"] + ("" if dataset["frozen"] else " (not frozen)"),
        "Dataset hash": dataset["hash"],
        "Selected": head["select"],
        "Limit": None if head["limit"] is None else f"{head['limit']:,}",
        "Endpoint": head["endpoint"],
        "Duration": None if duration is None else f"{duration:,.1f} s",
        "Responses": responses["file"],
        "Responses sha256": responses["sha256"],
        "Exit code": str(head["exit_code"]),
        "ragproof": head["ragproof"],
        **more,
    }
    return (Fact(label, _line(text, QUESTION_LENGTH)) for label, text in facts.items() if text)


def _settings(settings: Mapping[str, Any]) -> Iterator[str]:
    """One setting a line, two levels deep: as short as it can be and still be read."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield f"{name}:"
            yield from (f"  {key}: {_json(inner)}" for key, inner in value.items())
        else:
            yield f"{name}: {_json(value)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: str, limit: int) -> Untrusted:
    return Untrusted(cut(collapse(text), limit))


def _text(text: str | None, limit: int, texts: bool) -> Untrusted | None:
    return _line(text, limit) if texts and text is not None else None


def _sample(texts: Sequence[str], most: int, limit: int = ID_LENGTH) -> Sample:
    shown = tuple(_line(text, limit) for text in islice(texts, most))
    return Sample(shown, len(texts) - len(shown))
