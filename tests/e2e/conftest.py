"""The action in containers: an engine, the image, endpoints on this host, and a GitHub."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

import stage  # noqa: E402 - it stands in this folder

from ragproof.demo.server import DemoServer  # noqa: E402

_LAB = stage.ROOT.parent / "shared" / "lab" / "docker-up"


def engine_problem() -> str:
    """Why there is no engine with the base image; ``""`` when there is one."""
    if shutil.which("git") is None:
        return "no git"
    if not stage.ACT.exists():
        return "no act: `make e2e` installs it"
    if _LAB.is_file():  # a machine of ours without one; it starts what is missing
        done = subprocess.run(["bash", _LAB], text=True, capture_output=True, check=False)
        return f"{_LAB.name}: {done.stderr[-300:]}" if done.returncode else ""
    if shutil.which("docker") is None:
        return "no docker"
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        return "no engine answers docker"
    known = ["docker", "image", "inspect", stage.BASE]
    pull = ["docker", "pull", "--quiet", stage.BASE]
    for command in (known, pull):
        done = subprocess.run(command, text=True, capture_output=True, check=False)
        if done.returncode == 0:
            return ""
    return f"cannot pull {stage.BASE}: {done.stderr[-300:]}"


@pytest.fixture(scope="session", autouse=True)
def engine() -> Iterator[None]:
    """An engine; whatever a test that failed left running there is ended."""
    if reason := engine_problem():
        pytest.skip(reason)
    yield
    listed = ["docker", "ps", "--quiet", "--filter", f"label={stage.LABEL}"]
    left = subprocess.run(listed, text=True, capture_output=True, check=True).stdout.split()
    if left:
        subprocess.run(["docker", "rm", "--force", *left], capture_output=True, check=True)


@pytest.fixture(scope="session")
def image(engine: None) -> str:
    """The image of this commit. ``act`` builds it again, from the layers that are there then."""
    tag = "ragproof:e2e"
    done = subprocess.run(
        ["docker", "build", "--tag", tag, str(stage.ROOT)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return tag


@pytest.fixture(scope="session")
def template(image: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stage.make_repository(tmp_path_factory.mktemp("template") / "repository")


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Path:
    """A repository of a test's own."""
    return shutil.copytree(template, tmp_path / "repository")


def _port(server: DemoServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture(scope="session")
def good() -> Iterator[str]:
    """The demo's endpoint on all addresses of this host, as localhost."""
    with DemoServer("0.0.0.0") as server:
        yield f"http://localhost:{_port(server)}/query"


@pytest.fixture(scope="session")
def worse() -> Iterator[str]:
    """The version that got worse."""
    with DemoServer("0.0.0.0", regress=True) as server:
        yield f"http://localhost:{_port(server)}/query"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[stage.GithubServer]:
    server = stage.GithubServer(tmp_path)
    yield server
    unknown = server.state()["unknown"]
    server.close()
    assert unknown == []


@pytest.fixture(scope="session")
def gateway(image: str) -> str:
    """This host's address as a container on the bridge sees it."""
    script = (
        "from ragproof.cli.container import default_gateway;"
        "print(default_gateway(open('/proc/net/route').read()))"
    )
    python = ["docker", "run", "--rm", "--entrypoint", "/opt/ragproof/bin/python", image]
    done = subprocess.run([*python, "-Ic", script], text=True, capture_output=True, check=True)
    return done.stdout.strip()
