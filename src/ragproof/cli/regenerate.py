"""Mode ``generate`` of ``ragproof action``: make a dataset anew, freeze it, and propose it."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragproof.cli import console
from ragproof.cli.publishing import Publisher
from ragproof.cli.regenerated import Made, keep, publish
from ragproof.cli.staleness import other_secrets, whole_corpus
from ragproof.errors import DatasetError, UsageError
from ragproof.github.environment import Runner
from ragproof.github.event import runs_foreign_code
from ragproof.redact import Redactor

if TYPE_CHECKING:
    from ragproof.cli.proposing import Proposer
    from ragproof.dataset.load import Dataset

_VARIABLES = {"model": "RAGPROOF_GEN_MODEL", "base_url": "RAGPROOF_GEN_BASE_URL"}


class Request(NamedTuple):
    """What the inputs ask for. A count is ``None`` where none was given."""

    corpus: str | None
    qa: int | None
    multi_document: int | None
    unanswerable: int | None
    injection: int | None
    seed: int
    generator: str
    domain: str
    model: str | None
    base_url: str | None
    update: bool
    out: Path | None
    propose: bool
    branch: str


def regenerate(
    request: Request, path: Path, output_dir: Path, token: str, runner: Runner, publisher: Publisher
) -> int:
    """Generate the set whose review file is ``path``, freeze it, publish what changed, propose it.

    Whatever can be wrong about the proposal is found out before a model is asked for anything.

    Raises:
        RagproofError: nothing was generated.
    """
    if request.corpus is None:
        raise UsageError("mode: generate needs a corpus", "name a folder, a file or viking://...")
    _refuse_strangers(runner)
    console.hide(Redactor(other_secrets(token)))
    proposer = _proposer(request, path, runner, publisher)
    before = _older(path, update=request.update)
    code = _generate(request, path, before)
    if code:
        keep(_files(path), output_dir)
        console.alert("cancelled: nothing was frozen and nothing proposed")
        return code
    made = _freeze(path, before)
    return publish(made, request.corpus, output_dir, runner, publisher, proposer)


def review_file(out: Path) -> Path:
    """The file for people to review that belongs to a dataset, frozen or not."""
    from ragproof.cli.freeze import stem

    return out.with_name(f"{stem(out)}.jsonl")


def _refuse_strangers(runner: Runner) -> None:
    if runs_foreign_code(runner.event_name, runner.payload):
        raise UsageError(
            f"the event {runner.event_name} has the model read what strangers wrote, with the"
            " secrets of this repository",
            "run mode: generate on workflow_dispatch or schedule",
        )


def _proposer(
    request: Request, path: Path, runner: Runner, publisher: Publisher
) -> "Proposer | None":
    if not request.propose:
        return None
    from ragproof.cli.proposing import Proposer

    proposer = Proposer(runner, publisher.api, request.branch)
    proposer.check(path)
    return proposer


def _older(path: Path, *, update: bool) -> "Dataset | None":
    """The set as it is: the frozen one, else that for review.

    Raises:
        UsageError: they differ, and what people edited would be lost.
    """
    from ragproof.cli.freeze import frozen_place
    from ragproof.dataset.load import load_dataset

    found = []
    for one in (frozen_place(path), path):
        if one.exists():
            try:
                found.append(load_dataset(one))
            except DatasetError:
                if update:
                    raise
    if update and len(found) > 1 and found[0].hash != found[1].hash:
        raise UsageError(
            f"{path} was edited and not frozen: its changes would be lost",
            f"run `ragproof freeze {path}` and commit what it writes, or set update: false",
        )
    return found[0] if found else None


def _generate(request: Request, path: Path, before: "Dataset | None") -> int:
    from ragproof.cli.generating import run

    for name, variable in _VARIABLES.items():
        value = getattr(request, name)
        if value:
            os.environ[variable] = value
    with console.more_secrets():
        return run(_order(request, path, before))


def _freeze(path: Path, before: "Dataset | None") -> "Made":
    from ragproof.cli.freeze import freeze_dataset
    from ragproof.dataset.load import load_dataset

    frozen = freeze_dataset(path, None, plain=False)
    review, _, ledger = _files(path)
    account = json.loads(ledger.read_text("utf-8"))
    return Made(review, frozen.path, ledger, account, before, load_dataset(frozen.path))


def _files(path: Path) -> tuple[Path, Path, Path]:
    from ragproof.cli.freeze import frozen_place
    from ragproof.generate.write import Output

    return path, frozen_place(path), Output(path, None).ledger


def _order(request: Request, path: Path, before: "Dataset | None") -> Any:
    from ragproof.cli.corpora import reading
    from ragproof.cli.generating import Order
    from ragproof.generate.run import Wanted
    from ragproof.llm.cache import cache_folder

    counts = {
        "qa": request.qa,
        "unanswerable": request.unanswerable,
        "injection": request.injection,
        "multi": request.multi_document,
    }
    asked = {name: count for name, count in counts.items() if count is not None}
    return Order(
        reading=reading(whole_corpus(request.corpus or "")),
        out=path,
        wanted=Wanted(**asked) if asked else None,
        seed=request.seed,
        extractive=request.generator == "extractive",
        domain=request.domain,
        update=before.path if before is not None and request.update else None,
        cache=cache_folder(os.environ),
        yes=True,  # nobody is there to be asked: budgets are set by RAGPROOF_GEN_BUDGET_...
        force=True,  # what is replaced is in the repository's history
    )
