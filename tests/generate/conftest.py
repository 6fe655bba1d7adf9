"""Makes the builders of these tests importable, and the scripted servers of others."""

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS / name) for name in ("generate", "llm", "corpus")]
