"""What the modes of ``ragproof action`` have to do with a corpus, beside making cases of it."""

import os
from collections.abc import Sequence
from typing import Any

from ragproof.cli import console
from ragproof.cli.comments import tried
from ragproof.records import Case
from ragproof.report.escape import collapse, cut
from ragproof.report.parts import Note, Sample
from ragproof.report.untrusted import Untrusted

_KEYS = ("RAGPROOF_GEN_API_KEY", "RAGPROOF_VIKING_KEY")
_SHOWN = 8
_LENGTH = 160


def other_secrets(token: str) -> list[str]:
    """Secrets of a step that its configuration does not name: the token, and keys of servers
    that a corpus or a model is on."""
    return list(filter(None, [token, *(os.environ.get(key, "").strip() for key in _KEYS)]))


def whole_corpus(location: str) -> dict[str, Any]:
    """Options of ``--corpus`` and those beside it, where only a place is given."""
    return {
        "corpus": location,
        "include": (),
        "exclude": (),
        "max_file_bytes": 5_000_000,
        "server": None,
    }


def stale_notes(corpus: str | None, cases: Sequence[Case]) -> list[Note]:
    """Which cases rest on something that has changed since, as far as it can be read."""
    if corpus is None:
        return []
    return tried(lambda: _notes(corpus, cases), [])


def _notes(location: str, cases: Sequence[Case]) -> list[Note]:
    from ragproof.cli.corpora import read, reading
    from ragproof.generate.stale import examine

    with console.more_secrets():
        corpus = read(reading(whole_corpus(location)))
    stale = [finding.case.id for finding in examine(cases, corpus) if finding.stale]
    if not stale:
        return []
    one = len(stale) == 1
    words = f"{len(stale):,} case{'' if one else 's'}, whose source{'' if one else 's'} changed:"
    shown = tuple(Untrusted(cut(collapse(text), _LENGTH)) for text in stale[:_SHOWN])
    return [Note("The corpus changed under", words, Sample(shown, len(stale) - len(shown)))]
