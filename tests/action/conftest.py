"""The action's own files, as data."""

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def action() -> dict[str, Any]:
    """What action.yml says."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return content
