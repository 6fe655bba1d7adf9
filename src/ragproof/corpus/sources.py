"""Which files a corpus consists of: regular files inside its root, and nothing else."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from ragproof.corpus.ignore import Patterns, parse_patterns, verdict, verdict_within
from ragproof.corpus.ignorefiles import Rules, above, no_rules
from ragproof.corpus.records import Skipped
from ragproof.corpus.regular import kind_of
from ragproof.corpus.settings import ReadSettings
from ragproof.errors import CorpusError

_NOISY = frozenset(
    [
        "__macosx",
        "__pycache__",
        "__pypackages__",
        "_build",
        "bower_components",
        "htmlcov",
        "jspm_packages",
        "node_modules",
        "site-packages",
        "venv",
        "virtualenv",
    ]
)
_NOISY_ENDINGS = (".egg-info", ".dist-info")
_DEEPEST = 200


class Found(NamedTuple):
    """A file to read, by the id that its document will have."""

    id: str
    path: Path


class Listing(NamedTuple):
    """What was found under a root, each in the order of ids."""

    files: tuple[Found, ...]
    skipped: tuple[Skipped, ...]


class _Folder(NamedTuple):
    path: Path
    parts: tuple[str, ...]
    rules: Rules


def list_files(root: Path, settings: ReadSettings) -> Listing:
    """The files of a folder, or the one file.

    Raises:
        CorpusError: there is no such file or folder, or it cannot be listed.
    """
    try:
        mode = root.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(root).close()
    except (OSError, ValueError) as problem:
        raise _no_corpus(root, problem) from None
    if not stat.S_ISDIR(mode):
        # What is named itself may be a link; where that leads is no secret of the corpus.
        name = root.name if root.name not in ("", "..") else root.resolve().name
        return Listing((Found(_part(name), root.resolve()),), ())
    files: list[Found] = []
    skipped: list[Skipped] = []
    for item in _walk(root, settings):
        if isinstance(item, Found):
            files.append(item)
        else:
            skipped.append(item)
    files, twins = _apart(files)
    return Listing(tuple(files), tuple(sorted(skipped + twins)))


def _walk(root: Path, settings: ReadSettings) -> Iterator[Found | Skipped]:
    include, exclude = parse_patterns(settings.include), parse_patterns(settings.exclude)
    rules = above(root.resolve()) if settings.gitignore else no_rules()
    waiting = [_Folder(root, (), rules)]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder.path) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as problem:
            told = f"cannot be listed: {problem.strerror or problem}"
            yield Skipped("/".join(folder.parts) + "/", told)
            continue
        rules, complaint = folder.rules, None
        if settings.gitignore:
            rules, complaint = rules.within(folder.path, folder.parts)
        for entry in entries:
            parts = (*folder.parts, _part(entry.name))
            is_folder = entry.is_dir(follow_symlinks=False)
            shown = "/".join(parts) + ("/" if is_folder else "")
            reason = (
                (complaint if entry.name == ".gitignore" else None)
                or _refusal(entry, root, is_folder, len(parts))
                or _excluded(exclude, rules, parts, is_folder)
                or _not_included(include, parts, is_folder)
            )
            if reason:
                yield Skipped(shown, reason)
            elif is_folder:
                waiting.append(_Folder(Path(entry.path), parts, rules))
            else:
                yield Found(shown, Path(entry.path))


def _excluded(
    exclude: Patterns, rules: Rules, parts: tuple[str, ...], is_folder: bool
) -> str | None:
    if verdict(exclude, parts, folder=is_folder):
        return "matches a pattern of what to exclude"
    return "is ignored by .gitignore" if rules.ignored(parts, folder=is_folder) else None


def _not_included(include: Patterns, parts: tuple[str, ...], is_folder: bool) -> str | None:
    if not include or is_folder or verdict_within(include, parts):
        return None
    return "matches no pattern of what to include"


def _refusal(entry: "os.DirEntry[str]", root: Path, is_folder: bool, depth: int) -> str | None:
    """Why something is not looked at, whatever the settings say."""
    if entry.is_symlink():
        return _link(Path(entry.path), root)
    what = "folder" if is_folder else "file"
    if entry.name.startswith("."):
        return f"is a hidden {what}"
    if is_folder:
        if entry.name.lower() in _NOISY or entry.name.endswith(_NOISY_ENDINGS):
            return "is a folder of what programs make or install; name it itself to read it"
        return f"lies more than {_DEEPEST} folders deep" if depth > _DEEPEST else None
    if not entry.is_file(follow_symlinks=False):
        try:
            return kind_of(entry.stat(follow_symlinks=False).st_mode)
        except OSError:
            return None  # gone: reading it will say so
    return None


def _link(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as problem:  # RuntimeError: a loop, before Python 3.13
        loop = isinstance(problem, RuntimeError) or problem.errno == errno.ELOOP
        return "is a link that leads to itself" if loop else "is a link that leads nowhere"
    top = root.resolve()
    if path.parent.resolve().is_relative_to(target):
        return "is a link to a folder that it lies in: a loop"
    if not target.is_relative_to(top):
        return "is a link that leads out of the corpus"
    return f"is a link to {_shown(target.relative_to(top))}, which counts under its own name"


def _shown(path: Path) -> str:
    return "/".join(map(_part, path.parts))


def _part(name: str) -> str:
    """A name as part of an id: NFC, and bytes that are not UTF-8 as ``\\xNN``."""
    return normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))


def _apart(files: list[Found]) -> tuple[list[Found], list[Skipped]]:
    """One file for each id. Of several, the one counts whose name is the id itself."""
    chosen: dict[str, Found] = {}
    others: list[Skipped] = []
    order = sorted(files, key=lambda file: (file.id, not _exact(file), os.fsencode(file.path)))
    for file in order:
        first = chosen.setdefault(file.id, file)
        if first is not file:
            depth = file.id.count("/") + 1
            raw = b"/".join(map(os.fsencode, file.path.parts[-depth:]))
            shown = raw.decode("utf-8", "backslashreplace").encode("ascii", "backslashreplace")
            others.append(
                Skipped(
                    shown.decode(),
                    f"has the same name as {file.id} once Unicode is normalised; rename one",
                )
            )
    return list(chosen.values()), others


def _exact(file: Found) -> bool:
    return str(file.path).endswith(file.id)


def _no_corpus(root: Path, problem: OSError | ValueError) -> CorpusError:
    if isinstance(problem, FileNotFoundError):
        return CorpusError(f"corpus {root} does not exist", "check the path")
    reason = getattr(problem, "strerror", None) or problem
    return CorpusError(f"corpus {root} cannot be read: {reason}", "check the path")
