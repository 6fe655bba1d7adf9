"""Where an endpoint can be: on the host of a container, in a container beside it, nowhere."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from stage import LABEL, act, checked

WAY_OUT = "0.0.0.0"


def test_localhost_is_found_at_the_gateway(repository: Path, good: str, gateway: str) -> None:
    """On a bridge localhost is the container, which refuses, as on a hosted runner."""
    health = good.replace("/query", "/health")
    inputs = {"endpoint": good, "wait-for": health, "wait-timeout": "10", "comment": "never"}
    ran = act(repository, "push", inputs, network="bridge")
    assert ran.ok, ran.log
    assert gateway in ran.log


def test_who_listens_for_localhost_only_is_told_what_to_do(repository: Path) -> None:
    inputs = {"endpoint": "http://localhost:9/query", "comment": "never"}
    ran = act(repository, "push", inputs, network="bridge", later=checked("error"))
    assert (ran.ok, ran.code, ran.outputs["verdict"]) == (False, 2, "error")
    assert WAY_OUT in ran.log
    assert "service container" in ran.log


@pytest.fixture
def service(image: str) -> Iterator[str]:
    """The demo in a container beside the action's, on a network of their own."""
    name = f"{LABEL}-{os.getpid()}"
    subprocess.run(["docker", "network", "create", name], check=True, capture_output=True)
    serve = ["demo", "--serve", "--host", "0.0.0.0"]
    place = ["--name", name, "--network", name, "--network-alias", "rag"]
    subprocess.run(
        ["docker", "run", "--detach", "--label", LABEL, *place, image, *serve], check=True
    )
    yield name
    subprocess.run(["docker", "rm", "--force", name], check=True, capture_output=True)
    subprocess.run(["docker", "network", "rm", name], check=True, capture_output=True)


def test_a_service_container_is_reached_by_its_name(repository: Path, service: str) -> None:
    inputs = {"endpoint": "http://rag:8000/query", "wait-for": "http://rag:8000/health"}
    ran = act(repository, "push", {**inputs, "comment": "never"}, network=service)
    assert ran.ok, ran.log


def test_a_service_that_is_not_there_is_no_regression(repository: Path) -> None:
    inputs = {"endpoint": "http://rag:8000/query", "comment": "never"}
    ran = act(repository, "push", inputs, network="bridge")
    assert (ran.code, ran.outputs["verdict"], ran.outputs["exit-code"]) == (2, "error", "2")
    assert "could not" in ran.summary.splitlines()[0]


def test_waiting_ends(repository: Path) -> None:
    inputs = {"wait-for": "http://localhost:9/health", "wait-timeout": "1", "comment": "never"}
    ran = act(repository, "push", inputs)
    assert (ran.code, ran.outputs["verdict"]) == (2, "error")
    assert "localhost:9" in ran.log
