"""Which chunks are asked about, and in which order.

The order comes from SHA-256 of the seed and the ids, so it is the same in every process, on every
platform and in every version of Python; and no chunk's place depends on texts.
"""

import hashlib
from collections.abc import Iterable
from itertools import zip_longest

from ragproof.corpus.records import Chunk

MIN_LETTERS = 40
"""A chunk with fewer letters and digits says too little to be asked about."""


def rank(seed: int, *names: str) -> bytes:
    """What things are sorted by in place of chance. Names cannot run into each other."""
    text = "\0".join([str(seed), *names])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def spread(chunks: Iterable[Chunk], seed: int) -> list[Chunk]:
    """All chunks that say enough, in the order in which they are used.

    First one chunk of every document, then a second one of every document that has two, and so
    on: the first N chunks stand for as many documents as N can.
    """
    groups: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if says_enough(chunk.text):
            groups.setdefault(chunk.document_id, []).append(chunk)
    columns = [
        sorted(group, key=lambda chunk: (rank(seed, "chunk", chunk.id), chunk.start))
        for _, group in sorted(groups.items(), key=lambda item: rank(seed, "document", item[0]))
    ]
    return [chunk for row in zip_longest(*columns) for chunk in row if chunk is not None]


def says_enough(text: str) -> bool:
    """Whether a text has letters enough to ask about. Where no spaces are, a letter says more."""
    letters = 0
    for char in text:
        if char.isalnum():
            letters += 3 if char >= "\u0e00" else 1
            if letters >= MIN_LETTERS:
                return True
    return False
