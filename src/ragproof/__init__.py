"""ragproof: a gate for retrieval-augmented generation."""

from ragproof.version import __version__

__all__ = ["__version__"]
