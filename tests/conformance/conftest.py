"""Real data with published right values, from outside the repository."""

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of conformance data; tests skip where it is absent."""
    folder = Path(os.environ.get("RAGPROOF_CONFORMANCE_DATA") or _DEFAULT)
    if not folder.is_dir():
        pytest.skip(
            f"no conformance data in {folder}: set RAGPROOF_CONFORMANCE_DATA to their folder"
        )
    return folder
