"""What a file of a format of its own holds."""

from typing import NamedTuple


class Extracted(NamedTuple):
    """``pages`` are the offsets at which pages begin, of formats that have pages."""

    text: str
    pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
