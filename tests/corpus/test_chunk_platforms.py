"""The same corpus gives the same chunks in every process, locale and version of Python."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def digest(python: str, **variables: str) -> str:
    places = [path for path in sys.path if path.endswith("site-packages")]
    done = subprocess.run(
        [python, "-B", HERE / "chunk_digest.py", HERE.parents[1] / "src", *places],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def usual() -> str:
    found = digest(sys.executable, PYTHONHASHSEED="0")
    assert len(found) == 64
    return found


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"},
    ],
)
def test_processes_and_locales(variables: dict[str, str]) -> None:
    assert digest(sys.executable, **variables) == usual()


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_versions(version: str) -> None:
    """What chunking needs of other packages is plain Python, which all versions can import."""
    python = shutil.which(f"python{version}")
    if (
        python is None
        or subprocess.run([python, "-V"], capture_output=True, check=False).returncode
    ):
        pytest.skip(f"no python{version} here")
    assert digest(python) == usual()
