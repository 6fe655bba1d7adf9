"""The modes of ``ragproof action``."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ragproof.cli import console, evaluate
from ragproof.cli.publishing import Publisher
from ragproof.cli.staleness import other_secrets, stale_notes
from ragproof.config.endpoint import EndpointConfig
from ragproof.errors import ConfigError, DatasetError, ExitCode, UsageError
from ragproof.github.changes import Measure
from ragproof.github.environment import Runner
from ragproof.github.event import runs_foreign_code
from ragproof.pipeline import RESPONSES
from ragproof.results.runfile import RUN, RunFile

if TYPE_CHECKING:
    from ragproof.cli.regenerate import Request

_RESULTS_BYTES = 64_000_000


class Inputs(NamedTuple):
    """Inputs of the action that say what to do; those about publishing go to the publisher."""

    config: Path
    dataset: Path | None
    expected_dataset_hash: str | None
    allow_unfrozen: bool
    endpoint: str | None
    wait_for: str | None
    wait_timeout: float
    allowed_hosts: tuple[str, ...]
    env: tuple[str, ...]
    select: str | None
    fail_on: str
    content: str
    results: Path | None
    output_dir: Path
    token: str
    request: "Request"

    @property
    def texts(self) -> bool:
        """Whether texts of the dataset, the corpus and the endpoint may be published."""
        return self.content == "full"


def gate(inputs: Inputs, runner: Runner, publisher: Publisher) -> int:
    """Verify the dataset, ask the endpoint, judge, publish; fail last."""
    settings = evaluate.read_settings(inputs.config, inputs.dataset, inputs.endpoint, no_gate=False)
    dataset = evaluate.read_dataset(settings, inputs.expected_dataset_hash)
    if not dataset.frozen and not inputs.allow_unfrozen:
        raise DatasetError(
            f"{dataset.path} is not frozen: a pull request could change it unnoticed",
            f"run `ragproof freeze {dataset.path}` and commit what it writes, or set"
            " allow-unfrozen: true",
        )
    job = evaluate.make_job(settings, dataset, inputs.select)
    secrets = evaluate.resolve(settings, inputs.env, other_secrets(inputs.token))
    _check_hosts(secrets.endpoint, inputs.allowed_hosts, runner)
    if inputs.wait_for is not None:
        evaluate.wait(inputs.wait_for, inputs.wait_timeout)
    asked = evaluate.ask(job, secrets, inputs.output_dir)
    run = evaluate.conclude(asked.finished, inputs.output_dir, texts=inputs.texts)
    files = _files(inputs.output_dir)
    if asked.signal:
        publisher.cancelled(run, files)
        return asked.exit_code
    if asked.advice:
        console.alert(asked.advice)
    measure = Measure(inputs.config, settings.config, dataset, inputs.dataset)
    notes = [*publisher.changes(measure), *stale_notes(inputs.request.corpus, dataset.cases)]
    publisher.run(run, files, notes)
    code = asked.exit_code
    if code == ExitCode.FAIL and inputs.fail_on == "never":
        console.tell("the gate fails, which fail-on: never hides")
        return int(ExitCode.PASS)
    return code


def freeze(inputs: Inputs, runner: Runner, publisher: Publisher) -> int:
    """Freeze the dataset into the place of the frozen set that belongs to it."""
    from ragproof.cli.freeze import freeze_dataset

    path = _named_dataset(inputs)
    frozen = freeze_dataset(path, None, plain=False)
    publisher.dataset("ragproof froze the dataset", frozen.path, frozen.hash, frozen.cases)
    return int(ExitCode.PASS)


def verify(inputs: Inputs, runner: Runner, publisher: Publisher) -> int:
    """Check that the frozen set is unchanged."""
    from ragproof.cli.verify import verify_dataset

    dataset = verify_dataset(_named_dataset(inputs), inputs.expected_dataset_hash)
    publisher.dataset("the dataset is unchanged", dataset.path, dataset.hash, len(dataset.cases))
    return int(ExitCode.PASS)


def generate(inputs: Inputs, runner: Runner, publisher: Publisher) -> int:
    """Make the dataset anew from the corpus, freeze it and propose it."""
    from ragproof.cli.regenerate import regenerate, review_file

    path = review_file(inputs.request.out or _named_dataset(inputs))
    return regenerate(inputs.request, path, inputs.output_dir, inputs.token, runner, publisher)


def comment(inputs: Inputs, runner: Runner, publisher: Publisher) -> int:
    """Post the results of a run that was not allowed to comment."""
    if inputs.results is None:
        raise UsageError(
            "mode: comment needs results", "name the folder that the artifact was downloaded to"
        )
    path = inputs.results / RUN if inputs.results.is_dir() else inputs.results
    if path.is_symlink():
        raise UsageError(f"{path} is a link, which a downloaded artifact has no need of")
    if path.exists() and path.stat().st_size > _RESULTS_BYTES:
        raise UsageError(f"{path} is larger than {_RESULTS_BYTES / 1_000_000:g} MB")
    publisher.untrusted(RunFile(path), path)
    return int(ExitCode.PASS)


MODES: Mapping[str, Callable[[Inputs, Runner, Publisher], int]] = {
    "gate": gate,
    "freeze": freeze,
    "generate": generate,
    "verify": verify,
    "comment": comment,
}


def _files(folder: Path) -> dict[str, Path]:
    """Files of a run by the names of the outputs that say where they are."""
    return {
        "results": folder / RUN,
        "responses": folder / RESPONSES,
        "summary-path": folder / "report.md",
        "junit": folder / "junit.xml",
    }


def _named_dataset(inputs: Inputs) -> Path:
    """The dataset of the input, else that of the configuration."""
    from ragproof.config.load import load_config

    if inputs.dataset is not None:
        return inputs.dataset
    named = load_config(inputs.config).dataset
    if named is None:
        raise ConfigError(f"{inputs.config}: dataset is missing", "name it there or as an input")
    return inputs.config.parent / named


def _check_hosts(endpoint: EndpointConfig, allowed: tuple[str, ...], runner: Runner) -> None:
    """Refuse to send secrets to a host that only the code of others names.

    Raises:
        ConfigError: a host that is not allowed, or none is and the event needs it.
    """
    if not allowed:
        if runs_foreign_code(runner.event_name, runner.payload):
            raise ConfigError(
                f"the event {runner.event_name} gives the code of a pull request the secrets of"
                " this repository, so allowed-hosts must say which hosts may be asked",
                "set allowed-hosts to the host of your endpoint, or use the event pull_request",
            )
        return
    permitted = {one.lower() for one in allowed}
    for request in endpoint.requests().values():
        try:
            parts = urlsplit(request.url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            continue  # said where requests are compiled
        if not permitted & {host, f"{host}:{port}"}:
            raise ConfigError(
                f"the endpoint's host {host} is not among allowed-hosts",
                "add it to the input of the workflow, if it is yours",
            )
