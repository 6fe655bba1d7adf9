"""What the runner of GitHub Actions tells a step through its environment."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ragproof.errors import UsageError
from ragproof.files import read_text

_EVENT_BYTES = 32_000_000
API = "https://api.github.com"
SERVER = "https://github.com"


class Runner(NamedTuple):
    """The workflow run that this process is a step of. Outside of one, all is empty.

    ``output`` and ``summary`` are the files that the runner reads when the step has ended.
    ``run_id`` and ``attempt`` count from 1; 0 outside of a workflow. ``ref`` is the full name of
    the branch or tag, such as ``refs/heads/main``.
    """

    event_name: str
    payload: Mapping[str, Any]
    repository: str
    sha: str
    ref: str
    run_id: int
    attempt: int
    workflow: str
    job: str
    api_url: str
    server_url: str
    output: Path | None
    summary: Path | None
    workspace: Path

    @property
    def branch(self) -> str:
        """The branch that the workflow runs on; ``""`` where it runs on none."""
        name = self.ref.removeprefix("refs/heads/")
        return name if name != self.ref else ""

    @property
    def run_url(self) -> str:
        """Address of the page of this run, with its job summaries; ``""`` outside of one."""
        if not self.repository or not self.run_id:
            return ""
        return f"{self.server_url}/{quote(self.repository)}/actions/runs/{self.run_id}"


def read_runner(environment: Mapping[str, str]) -> Runner:
    """Read the variables ``GITHUB_*`` and the payload of the event.

    Raises:
        UsageError: the payload cannot be read.
    """

    def text(name: str) -> str:
        return environment.get(f"GITHUB_{name}", "")

    def path(name: str) -> Path | None:
        return Path(text(name)) if text(name) else None

    event = path("EVENT_PATH")
    return Runner(
        event_name=text("EVENT_NAME"),
        payload={} if event is None else _payload(event),
        repository=text("REPOSITORY"),
        sha=text("SHA"),
        ref=text("REF"),
        run_id=_count(text("RUN_ID")),
        attempt=_count(text("RUN_ATTEMPT")),
        workflow=text("WORKFLOW"),
        job=text("JOB"),
        api_url=(text("API_URL") or API).rstrip("/"),
        server_url=(text("SERVER_URL") or SERVER).rstrip("/"),
        output=path("OUTPUT"),
        summary=path("STEP_SUMMARY"),
        workspace=path("WORKSPACE") or Path.cwd(),
    )


def _payload(path: Path) -> Mapping[str, Any]:
    hint = "see that GITHUB_EVENT_PATH names the file that the runner wrote"
    text = read_text(path, "the payload of the event", _EVENT_BYTES, UsageError)
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the payload of the event {path} is no JSON: {error}", hint) from None
    if not isinstance(payload, dict):
        raise UsageError(f"the payload of the event {path} is no object", hint)
    return payload


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
