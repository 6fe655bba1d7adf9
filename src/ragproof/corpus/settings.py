"""What of a corpus is read, and within which limits."""

from typing import NamedTuple


class ReadSettings(NamedTuple):
    """``include`` and ``exclude`` are patterns as in ``.gitignore``, seen from the root of the
    corpus: with ``include``, only files that match are read; files that match ``exclude``
    never are. ``gitignore`` says whether ``.gitignore`` files count. Larger files than
    ``max_file_bytes`` are skipped. A file that is read by a program of its own (HTML, PDF,
    DOCX) may take ``timeout_s`` seconds and ``memory_bytes`` of address space.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    max_file_bytes: int = 5_000_000
    timeout_s: float = 120.0
    memory_bytes: int = 1 << 30
