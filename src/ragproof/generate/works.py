"""What one generation has so far: cases in order, and the account of all candidates."""

from collections.abc import Callable, Sequence
from itertools import islice

from ragproof.corpus.records import Chunk
from ragproof.errors import RagproofError
from ragproof.generate.cases import make_case
from ragproof.generate.duplicates import Asked
from ragproof.generate.fill import Take
from ragproof.generate.injection import Base, Planted, plant
from ragproof.generate.ledger import Ledger
from ragproof.generate.origin import Maker
from ragproof.generate.records import Discard, Discarded, Draft, Failed, Outcome, Sort
from ragproof.generate.sampling import spread
from ragproof.records import Case

Progress = Callable[[Ledger], None]


class GenerationError(RagproofError):
    """Nothing was delivered. ``ledger`` says what became of every candidate."""

    def __init__(self, message: str, hint: str, ledger: Ledger) -> None:
        super().__init__(message, hint)
        self.ledger = ledger


class Works:
    """The state of one generation.

    ``order`` are the chunks in the order in which they are used, those of the documents in
    ``first`` before all others; ``kept`` are cases that stay, whose questions are not asked again.
    """

    def __init__(
        self,
        chunks: Sequence[Chunk],
        maker: Maker,
        *,
        tags: Sequence[str] = (),
        first: Sequence[str] = (),
        kept: Sequence[Case] = (),
    ) -> None:
        early = frozenset(first)
        order = spread(chunks, maker.seed)
        self.order = sorted(order, key=lambda chunk: chunk.document_id not in early)
        self.chunks = chunks
        self.maker = maker
        self.kept = tuple(kept)
        self._kept_ids = frozenset(case.id for case in kept)
        self.ledger = Ledger()
        self._taken: dict[Sort, list[tuple[Draft, Case]]] = {sort: [] for sort in Sort}
        self.planted: list[Planted] = []
        self._tags = tags
        self._progress: Progress | None = None

    def watch(self, progress: Progress) -> None:
        """Have ``progress`` called after each candidate."""
        self._progress = progress

    def taken(self, sort: Sort) -> Sequence[tuple[Draft, Case]]:
        """The cases of one sort, with the drafts that they were made of."""
        return self._taken[sort]

    def cases(self) -> list[Case]:
        """All cases, sort by sort; of two with the same question in different sorts the first."""
        written = (Sort.QA, Sort.MULTI, Sort.UNANSWERABLE)
        every = [case for sort in written for _, case in self._taken[sort]]
        every += [planted.case for planted in self.planted]
        found: dict[str, Case] = {}
        for case in every:
            found.setdefault(case.id, case)
        return list(found.values())

    def context(self, case_id: str) -> tuple[str, ...]:
        """The texts of the chunks that a case was made from or compared with."""
        for pairs in self._taken.values():
            for draft, case in pairs:
                if case.id == case_id:
                    chunks = [source.chunk for source in draft.sources] or draft.checked
                    return tuple(dict.fromkeys(chunk.text for chunk in chunks))
        found = (one.base.passage for one in self.planted if one.case.id == case_id)
        return tuple(found)

    def plant(self, count: int, *, documents: bool) -> None:
        """Make cases with planted instructions, from the questions that are there."""
        sorts = (Sort.QA, Sort.MULTI, Sort.BASE)
        bases = [Base.of_draft(*pair) for sort in sorts for pair in self._taken[sort]]
        bases += filter(None, map(Base.of_case, self.kept))
        every = plant(bases, self.maker.seed, documents=documents)
        new = (planted for planted in every if planted.case.id not in self._kept_ids)
        for planted in islice(new, count):
            self.planted.append(planted)
            base = planted.base
            self.ledger.deliver(Sort.INJECTION, planted.case, base.document, base.chunk)

    def taker(self, sort: Sort, wanted: int) -> Take:
        """What takes the outcomes of one sort, up to so many cases.

        What else is asked at the same time has no say, so that the outcome is always the same.
        """
        asked = Asked()
        for case in self.kept:
            asked.add(case.question)
        taken = self._taken[sort]

        def take(outcome: Outcome) -> bool:
            if isinstance(outcome, Draft):
                reason = asked.reason(outcome.question) if len(taken) < wanted else Discard.SURPLUS
                if reason is not None:
                    outcome = Discarded(reason, outcome.chunk, outcome.question)
                else:
                    asked.add(outcome.question)
            self._record(sort, outcome)
            if self._progress is not None:
                self._progress(self.ledger)
            return isinstance(outcome, Draft)

        return take

    def _record(self, sort: Sort, outcome: Outcome) -> None:
        if isinstance(outcome, Failed):
            self.ledger.fail(sort, outcome)
        elif isinstance(outcome, Discarded):
            self.ledger.discard(sort, outcome)
        else:
            case = make_case(outcome, self.maker, self._tags)
            if case.id in self._kept_ids:  # of a case whose question was edited since
                case = case._replace(id=f"{case.id}-new")
            self._taken[sort].append((outcome, case))
            self.ledger.deliver(sort, case, outcome.chunk.document_id, outcome.chunk.id)

    def require_something(self) -> None:
        """See that any case was made.

        Raises:
            GenerationError: none was.
        """
        if self.cases():
            return
        lines = [line.strip() for line in self.ledger.lines()]
        if not self.order:
            message, hint = (
                "no part of the corpus holds enough text to ask about",
                "look at what was read with `ragproof corpus`",
            )
        elif self.ledger.stopped:
            message, hint = self.ledger.stopped, "allow more, and run it again"
        else:
            message, hint = (
                "no case could be made",
                "the ledger names each candidate; another model may do better",
            )
        raise GenerationError("\n".join([message, *lines]), hint, self.ledger)
