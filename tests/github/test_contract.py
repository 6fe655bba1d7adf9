"""GitHub's own words: its description of the API, and payloads of its events.

Each call that any test of this folder makes, and each reply of the local server, is checked
against the description as the test ends (``conftest.py``). What stands here is whether that
check is made, and whether it would notice.
"""

import json
from typing import Any

import pytest
from calling import BOT, api_of, marker
from contract import ENTERPRISE, ContractError, Description, fetch_description
from hub import Exchange, Github, Reply, Request
from packages import UnavailableError, file_of
from server import Server

from ragproof.github import event
from ragproof.github.comment import keep_comment


@pytest.fixture
def described(description: Description | str) -> Description:
    if isinstance(description, str):
        pytest.skip(f"GitHub's description of its API cannot be had: {description}")
    return description


@pytest.fixture(scope="session")
def payloads() -> dict[str, list[dict[str, Any]]]:
    """Examples of payloads by event."""
    try:
        path = file_of("@octokit/webhooks-examples", "7.6.1", "api.github.com/index.json")
    except UnavailableError as error:
        pytest.skip(f"GitHub's payloads cannot be had: {error}")
    return {one["name"]: one["examples"] for one in json.loads(path.read_bytes())}


@pytest.fixture
def exchanges(server: Server, github: Github) -> list[Exchange]:
    """What writing a comment, and writing over it, takes."""
    for run_id in (1, 2):
        keep_comment(api_of(server), 1, "body", marker(run_id), BOT, create=True)
    return list(github.exchanges)


def test_all_calls_are_described(described: Description, exchanges: list[Exchange]) -> None:
    assert [described.operation(one.request).template for one in exchanges] == [
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    ]
    for exchange in exchanges:
        described.check(exchange)


@pytest.mark.parametrize("field", ["node_id", "user", "issue_url", "created_at"])
def test_a_reply_that_lacks_a_field_is_noticed(
    described: Description, exchanges: list[Exchange], field: str
) -> None:
    reply = exchanges[2].reply
    assert reply is not None
    body = {key: value for key, value in reply.body.items() if key != field}
    with pytest.raises(ContractError, match=field):
        described.check(exchanges[2]._replace(reply=reply._replace(body=body)))


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "1"), ("html_url", "nowhere"), ("created_at", "yesterday"), ("user", {})],
)
def test_a_reply_of_another_shape_is_noticed(
    described: Description, exchanges: list[Exchange], field: str, value: Any
) -> None:
    reply = exchanges[2].reply
    assert reply is not None
    body = {**reply.body, field: value}
    with pytest.raises((ContractError, ValueError)):
        described.check(exchanges[2]._replace(reply=reply._replace(body=body)))


def test_a_status_that_is_not_described_is_noticed(
    described: Description, exchanges: list[Exchange]
) -> None:
    with pytest.raises(ContractError, match="reply 418"):
        described.check(exchanges[2]._replace(reply=Reply(418, {})))


@pytest.mark.parametrize(
    "change",
    [
        lambda request: request._replace(method="PUT"),
        lambda request: request._replace(path="/repos/o/r/issues/1/remarks"),
        lambda request: request._replace(path="/repos/o/r/issues/one/comments"),
        lambda request: request._replace(query={"colour": "red"}),
        lambda request: request._replace(body=b"{}"),
        lambda request: request._replace(body=b'{"body": 5}'),
        lambda request: request._replace(body=b'{"body": "a", "colour": "red"}'),
        lambda request: request._replace(headers={}),
    ],
)
def test_a_call_of_another_shape_is_noticed(
    described: Description, exchanges: list[Exchange], change: Any
) -> None:
    changed: Request = change(exchanges[2].request)
    with pytest.raises(ContractError):
        described.check(exchanges[2]._replace(request=changed))


def test_an_enterprise_server_takes_the_same_calls(exchanges: list[Exchange]) -> None:
    description = fetch_description(ENTERPRISE)
    if isinstance(description, str):
        pytest.skip(f"GitHub's description of its API cannot be had: {description}")
    for exchange in exchanges:
        description.check(exchange)


def test_payloads_about_pull_requests(payloads: dict[str, list[dict[str, Any]]]) -> None:
    count = 0
    for name, examples in payloads.items():
        for payload in examples:
            raw = payload.get("pull_request")
            found = event.pull_request_of(name, payload)
            assert (found is None) == (raw is None), name
            if found is None or raw is None:
                continue
            count += 1
            assert found.number == raw["number"]
            assert found.head_sha == raw["head"]["sha"]
            assert event.base_sha_of(name, payload) == found.base_sha == raw["base"]["sha"]
            assert not found.from_fork
            assert not event.runs_foreign_code(name, payload)
            assert event.runs_foreign_code("pull_request_target", payload)
    assert count > 30


def test_payloads_about_runs(payloads: dict[str, list[dict[str, Any]]]) -> None:
    for payload in payloads["workflow_run"]:
        found, raw = event.workflow_run_of(payload), payload["workflow_run"]
        assert found is not None
        assert (found.id, found.attempt) == (raw["id"], raw["run_attempt"])
        assert found.head_sha == raw["head_sha"]
        assert found.head_branch == raw["head_branch"]
        assert found.head_owner == raw["head_repository"]["owner"]["login"]
        assert found.head_repository == raw["head_repository"]["full_name"]
        assert (found.url, found.event) == (raw["html_url"], raw["event"])
        foreign = raw["head_repository"]["full_name"] != payload["repository"]["full_name"]
        assert event.runs_foreign_code("workflow_run", payload) is foreign


def test_payloads_of_merge_queues(payloads: dict[str, list[dict[str, Any]]]) -> None:
    for payload in payloads["merge_group"]:
        found = event.base_sha_of("merge_group", payload)
        assert found == payload["merge_group"]["base_sha"]


def test_payloads_of_all_events(payloads: dict[str, list[dict[str, Any]]]) -> None:
    for name, examples in payloads.items():
        for payload in examples:
            event.pull_request_of(name, payload)
            event.workflow_run_of(payload)
            event.base_sha_of(name, payload)
            assert isinstance(event.runs_foreign_code(name, payload), bool)
