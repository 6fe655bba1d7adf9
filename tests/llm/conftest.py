"""Makes the scripted server importable, and that of the fault tests."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "faults")]
