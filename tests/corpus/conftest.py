"""Tests of this folder share what makes files."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
