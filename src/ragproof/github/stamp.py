"""The last line of our commit messages: it tells our own commits from those of people.

It names the tree of its commit. Whoever changes the commit and keeps its message changes the
tree, so that what people wrote is never taken for ours and written over.
"""

import re
from typing import NamedTuple

_LINE = re.compile(
    r"Ragproof-Proposal: tree=([0-9a-f]{40}|[0-9a-f]{64})"
    r" run=([0-9]{1,18}) attempt=([0-9]{1,18})"
)


class Stamp(NamedTuple):
    """The tree that we wrote, and the workflow run that did; numbers as in
    :class:`~ragproof.github.marker.Marker`."""

    tree: str
    run_id: int
    attempt: int


def stamped(message: str, stamp: Stamp) -> str:
    """A commit message with its stamp, in the form of a trailer of Git's."""
    line = f"Ragproof-Proposal: tree={stamp.tree} run={stamp.run_id} attempt={stamp.attempt}"
    return f"{message.rstrip()}\n\n{line}\n"


def read_stamp(message: str) -> Stamp | None:
    """The stamp of a commit message; ``None`` if its last line is none."""
    found = _LINE.fullmatch(message.rstrip().rpartition("\n")[2].rstrip("\r"))
    return None if found is None else Stamp(found[1], int(found[2]), int(found[3]))
