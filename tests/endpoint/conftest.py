"""Tests of this folder use the server of the fault tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "faults"))
