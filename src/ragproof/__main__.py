"""``python -m ragproof``."""

import sys

from ragproof.cli import main

sys.exit(main())
