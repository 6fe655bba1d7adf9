"""From what the endpoint said to a scored and gated run: the glue between the pure parts."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ragproof.config.endpoint import RequestConfig
from ragproof.config.models import Config
from ragproof.dataset.load import Dataset
from ragproof.endpoint.mapping import ResponseReader
from ragproof.errors import ConfigError, UsageError
from ragproof.gate import GateResult, check_names, decide
from ragproof.records import Case, Failure, FailureKind, Kind, Outcome
from ragproof.results import runfile
from ragproof.results.lines import LineStore, case_line
from ragproof.results.responses import Head, Source, Tail
from ragproof.scoring.plan import Mapped, Plan, judge, largest_k, make_plan
from ragproof.scoring.relevance import matcher, normaliser
from ragproof.scoring.score import Scorer
from ragproof.scoring.table import ScoreTable
from ragproof.selector import Selector
from ragproof.version import __version__

_ERROR = Outcome.ERROR


@dataclass(frozen=True, slots=True)
class Job:
    """A configuration and the cases to run it on, checked against each other."""

    config: Config
    dataset: Dataset
    cases: Sequence[Case]
    lines: Sequence[int]
    select: Selector | None
    limit: int | None
    reader: ResponseReader
    plan: Plan
    scorer: Scorer

    @property
    def k(self) -> int:
        """How many chunks are asked for."""
        return largest_k(self.plan)


def prepare(
    config: Config,
    dataset: Dataset,
    requests: Mapping[str, RequestConfig],
    *,
    select: Selector | None = None,
    limit: int | None = None,
) -> Job:
    """Choose the cases and check all that can be checked before the first question.

    Raises:
        UsageError: the selection is empty.
        ConfigError: a metric, case or tag that is not there.
    """
    chosen = [
        index for index, case in enumerate(dataset.cases) if select is None or select.matches(case)
    ][:limit]
    if not chosen:
        raise UsageError(
            f"no case is selected: none of {len(dataset.cases)} matches {select}",
            "check --select and --limit against the dataset",
        )
    whole = len(chosen) == len(dataset.cases)
    cases = dataset.cases if whole else [dataset.cases[index] for index in chosen]
    lines = dataset.lines if whole else [dataset.lines[index] for index in chosen]
    reader = ResponseReader(requests)
    _check_sources(config, reader)
    plan = make_plan(config, Mapped(reader.has_answer, reader.has_chunks, reader.has_citations))
    job = Job(config, dataset, cases, lines, select, limit, reader, plan, _scorer(config, plan))
    tags = {tag for case in dataset.cases for tag in case.tags}
    check_names(config.gate, _table(job), (case.id for case in dataset.cases), tags)
    return job


_COMPARED = {"chunk": "id", "prefix": "id", "document": "document_id", "evidence": "text"}


def _check_sources(config: Config, reader: ResponseReader) -> None:
    """Refuse a mapping without the part of a chunk that sources are matched by."""
    part = _COMPARED[config.source_match]
    if reader.has_chunks and part not in reader.chunk_parts:
        others = [name for name, needed in _COMPARED.items() if needed in reader.chunk_parts]
        raise ConfigError(
            f"source_match: {config.source_match} needs {part}, which the mapping of chunks lacks",
            f"map chunk.{part}, or set source_match to {' or '.join(others)}",
        )


def _scorer(config: Config, plan: Plan) -> Scorer:
    prefixes = (
        [config.strip_prefix] if isinstance(config.strip_prefix, str) else config.strip_prefix
    )
    try:
        normalise = normaliser(prefixes, [(one.pattern, one.with_) for one in config.replace])
    except ValueError as error:
        raise ConfigError(f"replace: {error}", "write it as Python's re module has it") from None
    return Scorer(plan.columns, matcher(config.source_match, normalise))


def _table(job: Job) -> ScoreTable:
    return ScoreTable(
        [ref.column for ref in job.plan.columns if ref.metric.aggregate == "mean"], job.cases
    )


class Evaluation:
    """Scores exchanges as they come, in any order and from any thread."""

    def __init__(self, job: Job, folder: Path | None) -> None:
        """
        Raises:
            StorageError: no temporary file can be made in ``folder``.
        """
        self.job = job
        self.table = _table(job)
        self.store = LineStore(len(job.cases), folder)
        self._rules = {kind: job.plan.rules[kind] for kind in Kind}
        self._k = job.k
        self._known = frozenset(job.config.gate.allow_failing)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def take(
        self,
        index: int,
        bodies: Mapping[str, Any],
        failure: Failure | None,
        latency_s: float | None,
        attempts: int,
    ) -> Failure | None:
        """Score the case at ``index``; return the failure that its exchange amounts to.

        Raises:
            StorageError: the disk is full.
        """
        job = self.job
        case = job.cases[index]
        response = score = None
        outcome: Outcome = _ERROR
        reasons: Sequence[str] = ()
        if failure is None:
            read = job.reader.read(bodies)
            if isinstance(read, Failure):
                failure, latency_s = read, None
            else:
                response = read
                score = job.scorer.score(case, response)
                outcome, reasons = judge(self._rules[case.kind], score.scores, score.unscored)
        line = case_line(
            case,
            job.lines[index],
            outcome,
            reasons,
            response=response,
            score=score,
            failure=failure,
            latency_s=latency_s,
            attempts=attempts,
            retrieved=self._k,
            known_failure=case.id in self._known,
        )
        with self._lock:
            self.store.put(index, line)
            if score is not None and response is not None:
                self.table.add(index, outcome, score.scores, score.unscored, latency_s)
                self.table.with_chunks += bool(response.chunks)
        return failure

    def finish(self, tail: Tail, saved_in: str = "") -> GateResult:
        """Account for the cases that nothing was said about, and judge."""
        why = tail.stopped or f"{saved_in} holds no response to it"
        for index in list(self.store.missing()):
            self.take(index, {}, Failure(FailureKind.NOT_ASKED, why), None, 0)
        return decide(self.job.config.gate, self.table, complete=tail.complete)

    def write(
        self, folder: Path, result: GateResult, head: Head, tail: Tail, responses: Source
    ) -> Path:
        """Write ``run.json``; return its path.

        Raises:
            StorageError: it cannot be written.
        """
        path = folder / runfile.RUN
        runfile.write_run(path, self._head(result, head, tail, responses), self.store)
        return path

    def _head(
        self, result: GateResult, head: Head, tail: Tail, responses: Source
    ) -> dict[str, Any]:
        job, config = self.job, self.job.config
        return {
            "schema": runfile.SCHEMA,
            "ragproof": __version__,
            "complete": tail.complete,
            "verdict": result.verdict,
            "exit_code": int(result.exit_code),
            "reasons": result.reasons,
            "dataset": {
                "path": job.dataset.path.as_posix(),
                "hash": job.dataset.hash,
                "frozen": job.dataset.frozen,
                "cases": len(job.dataset.cases),
                "selected": len(job.cases),
            },
            "select": None if job.select is None else str(job.select),
            "limit": job.limit,
            "endpoint": head.endpoint,
            "responses": {
                "file": responses.file,
                "sha256": responses.sha256,
                "duration_s": tail.duration_s,
            },
            "settings": {
                "k": config.cutoffs(),
                "source_match": config.source_match,
                "case_pass": {
                    kind: {
                        name: bounds.model_dump(exclude_none=True) for name, bounds in one.items()
                    }
                    for kind, one in job.plan.rules.items()
                },
            },
            "counts": runfile.counts(self.table),
            "metrics": [
                runfile.summary_fields(self.table.summary(ref)) for ref in job.plan.columns
            ],
            "gate": runfile.gate_fields(result, config.gate.min_coverage),
        }
