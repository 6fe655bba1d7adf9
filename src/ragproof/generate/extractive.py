"""Questions without a model: known items.

A known-item question is what somebody types who has seen a passage and looks for it again: the
heading and a few terms of one of its sentences, chosen so that no other document holds all of
them. The sentence is the evidence. There is no expected answer, and the words of the question are
those of the document, so that a search by words finds more than it would of real questions.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ragproof.corpus.records import Chunk, Document
from ragproof.generate.fill import Take
from ragproof.generate.language import common_words, detect_language
from ragproof.generate.records import Discard, Discarded, Draft, Outcome, Source
from ragproof.generate.salience import Salience, Term, terms
from ragproof.generate.sentences import sentences
from ragproof.generate.text import Span, is_spaceless
from ragproof.generate.words import LEANING, VAGUE
from ragproof.records import Kind
from ragproof.scoring.text import unicode_tokens

TERMS = 4
"""Terms of a sentence that a question has."""
KNOWN_ITEM = "known-item"
_TURNS = 4
_TRIED = 4
_WITH_MARKUP = ("markdown", "rst")
_SHORTEST, _LONGEST = 40, 350
_BEST_LENGTH = 140
_QUESTION_MARKS = ("?", "？", "؟", "；")
_MARKUP = re.compile(r"[`*_|<>{}\\$]|\]\(|https?:|\w\(\)")
_LEADING = re.compile(r"^(?:\d+(?:[.\d]*)?[.):]?\s+|[#*>\s]+)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_CLOSING = re.compile(r"[.!?。！？।॥؟۔…»”\"')\]）」]$")


class Known(NamedTuple):
    """A sentence and the question for it."""

    span: Span
    question: str
    keys: tuple[str, ...]


class Prose:
    """The sentences of documents and their languages, found when they are first asked for."""

    def __init__(self, documents: Iterable[Document], salience: Salience) -> None:
        self.salience = salience
        self._documents = {document.id: document for document in documents}
        self._sentences: dict[str, list[Span]] = {}
        self._languages: dict[str, str | None] = {}

    def sentences(self, chunk: Chunk) -> Iterator[Span]:
        """The places in a chunk's text of the sentences that it holds whole."""
        document = self._documents[chunk.document_id]
        spans = self._sentences.get(document.id)
        if spans is None:
            # Of the whole document: a chunk does not show that it begins inside a block of code.
            markup = document.format in _WITH_MARKUP
            spans = [] if document.format == "code" else [*sentences(document.text, markup=markup)]
            self._sentences[document.id] = spans
        for span in spans:
            if chunk.start <= span.start and span.end <= chunk.end:
                yield Span(span.start - chunk.start, span.end - chunk.start)

    def headings(self, chunk: Chunk, span: Span) -> list[str]:
        """The headings above a sentence, in the chunk or before it, outermost first."""
        own = []
        if self._documents[chunk.document_id].format == "markdown":
            own = [match[1] for match in _HEADING.finditer(chunk.text, 0, span.start)]
        return [*chunk.headings, *own[-1:]]

    def language(self, chunk: Chunk) -> str | None:
        """The language of a chunk, else that of its document."""
        document = self._documents[chunk.document_id]
        if document.id not in self._languages:
            self._languages[document.id] = detect_language(document.text)
        return detect_language(chunk.text) or self._languages[document.id]


def extract(order: Sequence[Chunk], prose: Prose, wanted: int, take: Take) -> int:
    """One question on each chunk, then another on each, until so many were taken.

    At first sentences are left alone that hold markup, which an endpoint may not index as it is
    written. Returns how many questions were taken.
    """
    delivered = 0
    used: dict[str, set[Span]] = {}
    for turn in range(_TURNS):
        for chunk in order:
            if delivered >= wanted:
                return delivered
            outcome = from_chunk(chunk, prose, used.setdefault(chunk.id, set()), markup=turn > 0)
            # Where a chunk was asked about already, having no further sentence is no loss.
            if turn == 0 or isinstance(outcome, Draft):
                delivered += take(outcome)
    return delivered


def from_chunk(chunk: Chunk, prose: Prose, used: set[Span], *, markup: bool) -> Outcome:
    """A question for the best sentence of a chunk that is not ``used``, which it then is."""
    ambiguous = ""
    for known in _candidates(chunk, prose, used, markup=markup):
        used.add(known.span)
        if prose.salience.documents_with(known.keys) == 1:
            sources = (Source(chunk, known.span),)
            language = prose.language(chunk)
            return Draft(
                Kind.QA, chunk, known.question, None, sources, language, tags=(KNOWN_ITEM,)
            )
        ambiguous = ambiguous or known.question
    reason = Discard.AMBIGUOUS if ambiguous else Discard.NOT_SALIENT
    return Discarded(reason, chunk, ambiguous)


def _candidates(chunk: Chunk, prose: Prose, used: set[Span], *, markup: bool) -> Iterator[Known]:
    """The best sentences first, each with its question."""
    scored = []
    for span in prose.sentences(chunk):
        text = chunk.text[span.start : span.end]
        score = _score(text, prose.salience)
        if score > 0 and span not in used and (markup or not _MARKUP.search(text)):
            scored.append((-score, span))
    for _, span in sorted(scored)[:_TRIED]:
        known = _ask(chunk, span, prose)
        if known is not None:
            yield known


def _score(text: str, salience: Salience) -> float:
    """How well a sentence says one thing that can be looked for; 0 if it is none to ask for."""
    size = len(text) * (3 if is_spaceless(text) else 1)
    if not _SHORTEST <= size <= _LONGEST or not _CLOSING.search(text) or _unbalanced(text):
        return 0.0
    weights = sorted(
        {term.key: salience.weight(term.key) for term in terms(text)}.values(), reverse=True
    )
    if len(weights) < TERMS:
        return 0.0
    score = sum(weights[: TERMS + 1]) / (TERMS + 1)
    score *= math.exp(-(((size - _BEST_LENGTH) / 220) ** 2))
    if text.rstrip("\"'”»）)").endswith(_QUESTION_MARKS):
        score *= 0.3
    if unicode_tokens(text[:30])[:1] and unicode_tokens(text[:30])[0] in LEANING:
        score *= 0.5
    return score if text[0].isalnum() and not text[0].islower() else score * 0.5


def _unbalanced(text: str) -> bool:
    return any(text.count(one) != text.count(other) for one, other in ("()", "[]", "（）", "„“"))


def _ask(chunk: Chunk, span: Span, prose: Prose) -> Known | None:
    """The question for a sentence: its most telling terms in their order, under the heading."""
    text = chunk.text[span.start : span.end]
    phrases = _phrases(text, prose.salience, prose.language(chunk))
    heading = _heading(prose.headings(chunk, span), prose.salience)
    if heading.endswith(_QUESTION_MARKS) and len(unicode_tokens(heading)) >= 3:
        keys = tuple(term.key for term in terms(heading) if not prose.salience.is_common(term.key))
        if keys:
            return Known(span, heading, keys)
    best = sorted(phrases, key=lambda one: (-one.weight, one.start))[:TERMS]
    if len(best) < 2:
        return None
    chosen = [text[one.start : one.end] for one in sorted(best, key=lambda one: one.start)]
    chosen = [" ".join(one.split()) for one in chosen]
    keys = tuple(key for one in best for key in one.keys)
    if _adds(heading, chosen):
        return Known(span, f"{heading}: {', '.join(chosen)}", keys)
    return Known(span, ", ".join(chosen), keys)


def _adds(heading: str, chosen: Sequence[str]) -> bool:
    """Whether a heading says anything that the terms do not."""
    said = {token for one in chosen for token in unicode_tokens(one)}
    return bool(set(unicode_tokens(heading)) - said) and len(heading) <= 100


def _heading(above: Iterable[str], salience: Salience) -> str:
    """The innermost heading; where other documents have it too, the outermost one with it."""
    headings = [one for one in map(_clean, above) if one]
    if not headings:
        return ""
    last = headings[-1]
    general = salience.documents_with(term.key for term in terms(last)) > 1
    says_it_too = set(unicode_tokens(headings[0])) <= set(unicode_tokens(last))
    return f"{headings[0]}, {last}" if general and not says_it_too else last


def _clean(heading: str) -> str:
    """A heading without its number and marks."""
    plain = re.sub(r"[`*]|\\(?=[_*`])", "", _LEADING.sub("", heading))
    return " ".join(plain.split()).rstrip(":：#")


class _Phrase(NamedTuple):
    """Neighbouring terms that are one name, or a single term."""

    weight: float
    start: int
    end: int
    keys: tuple[str, ...]


def _phrases(text: str, salience: Salience, language: str | None) -> list[_Phrase]:
    plain = common_words(language) | VAGUE
    found: list[list[Term]] = []
    seen: set[str] = set()
    for term in terms(text):
        if term.key in seen:
            continue
        if found and _is_name(text, found[-1][-1], term):
            found[-1].append(term)
        elif not salience.is_common(term.key) and term.key not in plain:
            found.append([term])
        else:
            continue
        seen.add(term.key)
    return [
        _Phrase(
            max(_weight(text, term, salience) for term in group),
            group[0].start,
            group[-1].end,
            tuple(term.key for term in group),
        )
        for group in found
    ]


def _weight(text: str, term: Term, salience: Salience) -> float:
    """How much a term tells here: long words, names and identifiers more than others."""
    word = text[term.start : term.end]
    weight = salience.weight(term.key)
    if is_spaceless(word):
        return weight
    weight *= 0.5 + min(len(word), 10) / 20
    marked = term.start > 0 and not word.islower()
    return weight * 1.3 if marked or not word.isalpha() else weight


def _is_name(text: str, before: Term, term: Term) -> bool:
    """Whether two neighbours are capitalised, as parts of names are, with a space between."""
    between = text[before.end : term.start]
    return (
        between == " "
        and text[before.start].isupper()
        and text[term.start].isupper()
        and before.start > 0
    )
