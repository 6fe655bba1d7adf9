"""ragproof: a gate for retrieval-augmented generation."""

import importlib
from typing import Any

from ragproof.version import __version__

_LATE = {
    "DatasetGenerator": "ragproof.generate.dataset",
    "EvalDataset": "ragproof.generate.dataset",
    "EvalSample": "ragproof.generate.dataset",
}

__all__ = ["DatasetGenerator", "EvalDataset", "EvalSample", "__version__"]


def __getattr__(name: str) -> Any:
    """The library's classes, imported when they are first used: most commands need none."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATE[name]), name)
