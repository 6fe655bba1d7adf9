"""What ``run`` and ``demo`` share: settings, secrets, asking with progress, concluding."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from ragproof.cli.console import keep_secret, say, tell
from ragproof.config.endpoint import EndpointConfig
from ragproof.config.environment import resolve as resolve_references
from ragproof.config.load import load_config
from ragproof.config.models import Config, GateConfig
from ragproof.dataset.load import Dataset, load_dataset, require_hash
from ragproof.errors import ConfigError, ExitCode, UsageError
from ragproof.evaluation import Job, prepare
from ragproof.files import make_folder
from ragproof.github.commands import workflow_command
from ragproof.pipeline import Finished, Progress, ask_and_score, ask_plan, score_saved
from ragproof.redact import Redactor
from ragproof.results.runfile import RunFile
from ragproof.selector import parse_selector

_LINE_EVERY_S = 5.0


class Settings(NamedTuple):
    """A configuration with what the command line says on top."""

    config: Config
    endpoint: EndpointConfig
    dataset: Path


class Secrets(NamedTuple):
    """The endpoint with its references resolved, and what keeps their values out of sight."""

    endpoint: EndpointConfig
    redactor: Redactor


def read_settings(
    path: Path, dataset: Path | None, endpoint: str | None, *, no_gate: bool
) -> Settings:
    """Read the configuration and lay the options over it.

    Raises:
        ConfigError: the configuration is wrong, or lacks endpoint, dataset or gate.
    """
    config = load_config(path)
    asked, named = config.endpoint, dataset or config.dataset
    if asked is None:
        raise ConfigError(f"{path}: endpoint is missing", "say how to ask your endpoint")
    if named is None:
        raise ConfigError(f"{path}: dataset is missing", "name it there or with --dataset")
    if no_gate:
        ungated = GateConfig(min_coverage=config.gate.min_coverage)
        config = config.model_copy(update={"gate": ungated})
    elif not config.gate.enforces():
        raise ConfigError(
            f"{path}: the gate would pass whatever the endpoint answers",
            "add gate.thresholds, or measure only with --no-gate",
        )
    if endpoint is not None:
        asked = _redirected(asked, endpoint)
    if asked.ca_file is not None:
        asked = asked.model_copy(update={"ca_file": str(path.parent / asked.ca_file)})
    return Settings(config, asked, named if isinstance(named, Path) else path.parent / named)


def _redirected(config: EndpointConfig, url: str) -> EndpointConfig:
    """The endpoint at another address; of two requests only scheme, host and port change."""
    if config.url is not None:
        return config.model_copy(update={"url": url})
    try:
        new = urlsplit(url)
    except ValueError as error:
        raise UsageError(f"--endpoint is not an address: {error}", "check it") from None
    if new.path.strip("/") or new.query:
        raise UsageError(
            "--endpoint has a path, but the configuration makes two requests",
            "give scheme, host and port only, like http://localhost:8000",
        )
    parts = {
        name: request.model_copy(
            update={
                "url": urlsplit(request.url)._replace(scheme=new.scheme, netloc=new.netloc).geturl()
            }
        )
        for name, request in config.requests().items()
    }
    return config.model_copy(update=parts)


def resolve(settings: Settings, allowed: Sequence[str], more: Sequence[str] = ()) -> Secrets:
    """Take the secrets from the environment and keep them, and ``more`` such texts, out of all
    output.

    Raises:
        ConfigError: a variable that may not be used or is not set.
    """
    resolved = resolve_references(settings.endpoint, os.environ, allowed)
    redactor = Redactor([*resolved.secrets, *more])
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for form in redactor.forms:
            click.echo(workflow_command("add-mask", form))
        sys.stdout.flush()  # before anything on standard error
    keep_secret(redactor)
    return Secrets(resolved.endpoint, redactor)


def read_dataset(settings: Settings, expected_hash: str | None = None) -> Dataset:
    """Read the dataset.

    Raises:
        DatasetError: it is not valid, was changed, or is not the one expected.
    """
    dataset = load_dataset(settings.dataset)
    require_hash(dataset, expected_hash)
    return dataset


def make_job(
    settings: Settings, dataset: Dataset, select: str | None = None, limit: int | None = None
) -> Job:
    """Choose the cases and check configuration and dataset against each other."""
    selector = None if select is None else parse_selector(select)
    return prepare(
        settings.config, dataset, settings.endpoint.requests(), select=selector, limit=limit
    )


def wait(url: str, seconds: float) -> None:
    """Wait until the endpoint says at ``url`` that it is ready.

    Raises:
        UsageError: the address cannot be asked.
        EndpointError: it is not ready within so many seconds.
    """
    from ragproof.cli.network import read_network
    from ragproof.cli.waiting import wait_for

    wait_for(url, seconds, read_network(url))


def score(job: Job, responses: Path, out: Path) -> Finished:
    """Score saved responses into ``out``."""
    make_folder(out)
    return score_saved(job, responses, out)


class Asked(NamedTuple):
    """A run that asked. ``signal`` ended it early, or is 0; ``advice`` on how to reach the
    endpoint, where it could not be."""

    finished: Finished
    signal: int
    advice: str

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        return 128 + self.signal if self.signal else int(self.finished.result.exit_code)


def ask(job: Job, secrets: Secrets, out: Path) -> Asked:
    """Ask the endpoint, showing progress; SIGINT and SIGTERM end it with what is there."""
    from ragproof.cli import container
    from ragproof.cli.network import read_network

    endpoint = secrets.endpoint
    urls = [request.url for request in endpoint.requests().values()]
    network = read_network(*urls, ca_file=endpoint.ca_file)
    gateway = container.find_localhost(urls, network)
    if gateway:
        tell(f"localhost refuses inside this container: asking its default gateway {gateway}")
    plan = ask_plan(endpoint, job.k, network._replace(localhost=gateway), secrets.redactor)
    make_folder(out)
    with _Signals() as signals, _Meter(len(job.cases)) as meter:
        finished = ask_and_score(
            job, plan, out, cancelled=lambda: signals.received is not None, progress=meter
        )
    if signals.received is not None:
        tell(f"cancelled: partial results, marked incomplete, are in {out}")
    lost = finished.result.exit_code is ExitCode.ERROR and not signals.received
    advice = container.advice(urls, network) if lost else ""
    return Asked(finished, signals.received or 0, advice)


def conclude(finished: Finished, out: Path, *, texts: bool = True) -> RunFile:
    """Write the reports and print the verdict; return the run."""
    from ragproof.cli.reports import print_summary, write_reports

    run = RunFile(finished.run, own=True)
    written = write_reports(run, out)
    print_summary(run, texts=texts)
    say(f"results: {', '.join(str(path) for path in [finished.run, *written])}")
    return run


class _Signals:
    """Notes SIGINT and SIGTERM; a second one ends the process at once."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._old: dict[int, Any] = {}

    def __enter__(self) -> "_Signals":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._old[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None:
            raise SystemExit(128 + number)
        self.received = number


class _Meter:
    """Progress: a bar on a terminal, a line every few seconds elsewhere."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._bar = None
        if sys.stderr.isatty():
            self._bar = click.progressbar(
                length=total, label="asking", file=sys.stderr, show_pos=True
            )
        self._shown = 0
        self._next = time.monotonic() + _LINE_EVERY_S

    def __enter__(self) -> "_Meter":
        if self._bar is not None:
            self._bar.__enter__()
        else:
            tell(f"asking {self._total} cases")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def __call__(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.update(progress.done - self._shown)
            self._shown = progress.done
        elif time.monotonic() >= self._next and progress.done < progress.total:
            self._next = time.monotonic() + _LINE_EVERY_S
            tell(f"asked {progress.done} of {progress.total}, {progress.failed} failed")
