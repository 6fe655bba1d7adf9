"""Makes what the tests of this folder ask with."""

import threading
from collections.abc import Mapping
from typing import Any

from ragproof.config.endpoint import EndpointConfig
from ragproof.endpoint.client import Client, Exchange, Plan
from ragproof.endpoint.deadline import Watchdog
from ragproof.endpoint.pace import Pace
from ragproof.endpoint.template import RequestTemplate
from ragproof.endpoint.transport import Network
from ragproof.records import Case
from ragproof.redact import Redactor

CASE = Case("case-1", "why?")
REQUEST: dict[str, Any] = {"body": {"q": "{{ question }}"}, "response": {"answer": "$.answer"}}


def make_plan(
    url: str,
    *,
    secrets: tuple[str, ...] = (),
    proxies: Mapping[str, str] | None = None,
    verify: str | bool = True,
    **settings: Any,
) -> Plan:
    """A plan to ask ``url``; ``settings`` are those of the endpoint."""
    fields: dict[str, Any] = settings
    if not {"retrieve", "answer"} & set(settings):
        fields = {"url": url, **REQUEST, **settings}
    config = EndpointConfig.model_validate(fields)
    templates = {
        name: RequestTemplate(request, name, 10) for name, request in config.requests().items()
    }
    return Plan(templates, config, Network(dict(proxies or {}), verify), Redactor(secrets))


class Impatient(threading.Event):
    """Notes how long it is waited for, and does not wait."""

    def __init__(self, waits: list[float]) -> None:
        super().__init__()
        self._waits = waits

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self._waits.append(timeout)
        return self.is_set()


def ask(plan: Plan, *cases: Case, waits: list[float] | None = None) -> list[Exchange]:
    """What one worker brings back about each case; with ``waits``, these are noted only."""
    watchdog = Watchdog()
    stop = threading.Event() if waits is None else Impatient(waits)
    client = Client(plan, watchdog.watch(), stop, Pace(plan.settings.rate_limit))
    watchdog.start()
    try:
        return [client.ask(case) for case in cases or (CASE,)]
    finally:
        watchdog.stop()
        client.close()
