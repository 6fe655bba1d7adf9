"""The ``.gitignore`` files that count for a corpus: its own and those of the repository."""

from pathlib import Path
from typing import NamedTuple, Self

from ragproof.corpus.ignore import Patterns, parse_patterns, verdict
from ragproof.corpus.regular import read_bytes
from ragproof.corpus.unreadable import UnreadableError

_NAME = ".gitignore"
_LARGEST = 200_000
_MOST_PATTERNS = 5_000


class _Source(NamedTuple):
    """``lead`` are the folders from where the file stands down to the root of the corpus,
    ``depth`` the folders from the root down to where it stands; one of them is empty."""

    lead: tuple[str, ...]
    depth: int
    patterns: Patterns


class Rules(NamedTuple):
    """What ``.gitignore`` files say, the outermost first."""

    sources: tuple[_Source, ...]

    def ignored(self, parts: tuple[str, ...], *, folder: bool) -> bool:
        """Whether a path below the root is ignored. The innermost file that speaks decides."""
        for lead, depth, patterns in reversed(self.sources):
            found = verdict(patterns, (*lead, *parts[depth:]), folder=folder)
            if found is not None:
                return found
        return False

    def within(self, folder: Path, parts: tuple[str, ...]) -> tuple[Self, str | None]:
        """These and those of a folder's own file; and why that one does not count, if so."""
        patterns, complaint = _read(folder)
        if not patterns:
            return self, complaint
        return self._replace(sources=(*self.sources, _Source((), len(parts), patterns))), complaint


def no_rules() -> Rules:
    """Nothing is ignored."""
    return Rules(())


def above(root: Path) -> Rules:
    """Those of the repository above a root, if it lies in one.

    Patterns that mean the root itself, or a folder it lies in, do not count: whoever names an
    ignored folder wants it read.
    """
    repository = next(
        (folder for folder in (root, *root.parents) if (folder / ".git").exists()), root
    )
    sources = []
    for folder in reversed(root.parents):
        if folder.is_relative_to(repository):
            lead = root.relative_to(folder).parts
            patterns = tuple(
                pattern
                for pattern in _read(folder)[0]
                if pattern.negated
                or not any(
                    pattern.matches(lead[:end], folder=True) for end in range(1, 1 + len(lead))
                )
            )
            sources.append(_Source(lead, 0, patterns))
    return Rules(tuple(sources))


def _read(folder: Path) -> tuple[Patterns, str | None]:
    try:
        raw = read_bytes(folder / _NAME, _LARGEST)
    except UnreadableError as error:
        gone = not (folder / _NAME).is_symlink() and not (folder / _NAME).exists()
        return (), None if gone else f"does not count: it {error.reason}"
    patterns = parse_patterns(raw.decode("utf-8-sig", "backslashreplace").split("\n"))
    if len(patterns) > _MOST_PATTERNS:
        return (), f"does not count: it holds more than {_MOST_PATTERNS} patterns"
    return patterns, None
