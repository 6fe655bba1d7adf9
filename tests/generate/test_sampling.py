"""The order in which chunks are used: by seed, over all documents, everywhere the same."""

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from genkit import chunk
from hypothesis import given
from hypothesis import strategies as st

from ragproof.corpus.records import Chunk
from ragproof.generate.sampling import rank, says_enough, spread

TEXT = "Paragraph {} of document {} says quite a lot of things that one could well ask about."


def chunks(sizes: list[int]) -> list[Chunk]:
    """So many chunks of each document."""
    return [
        chunk(TEXT.format(number, name), f"d{name}")
        for name, size in enumerate(sizes)
        for number in range(size)
    ]


@given(st.lists(st.integers(0, 6), max_size=6), st.integers())
def test_every_chunk_once_and_documents_take_turns(sizes: list[int], seed: int) -> None:
    every = chunks(sizes)
    order = spread(every, seed)
    assert sorted(order) == sorted(every)
    rounds = [sum(size > turn for size in sizes) for turn in range(max(sizes, default=0))]
    at = 0
    for size in rounds:
        assert len({one.document_id for one in order[at : at + size]}) == size
        at += size


@given(st.lists(st.integers(0, 5), min_size=2, max_size=5), st.integers(), st.randoms())
def test_the_order_given_and_other_documents_have_no_say(
    sizes: list[int], seed: int, random: st.DataObject
) -> None:
    every = chunks(sizes)
    shuffled = list(every)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    order = spread(every, seed)
    assert spread(shuffled, seed) == order
    less = spread([one for one in every if one.document_id != "d0"], seed)
    for name, group in groupby(
        sorted(less, key=lambda one: one.document_id), lambda c: c.document_id
    ):
        assert list(group) == [one for one in order if one.document_id == name]


def test_the_seed_matters() -> None:
    every = chunks([3, 3, 3])
    assert len({tuple(spread(every, seed)) for seed in range(5)}) == 5


def test_ranks_are_permanent() -> None:
    """Cases of a seed must come out again in years."""
    assert rank(0, "chunk", "abc").hex()[:16] == "e2ea000aa0f8fd1d"
    assert rank(7, "document", "ü/日.md").hex()[:16] == "13148a3cdb75fb78"


def test_names_do_not_run_into_each_other() -> None:
    assert rank(0, "a", "bc") != rank(0, "ab", "c")


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("# Title", False),
        ("| --- | --- |" * 20, False),
        ("The fee is 12 euros.", False),
        (TEXT, True),
        ("租船的费用是每天十二欧元，须在船屋柜台支付，押金另计。", True),
        ("", False),
    ],
)
def test_what_says_enough(text: str, enough: bool) -> None:
    assert says_enough(text) is enough


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from test_sampling import chunks
from ragproof.generate.sampling import spread
print([one.id for one in spread(chunks([4, 2, 5]), 3)])
"""


def test_the_same_in_other_processes_and_locales() -> None:
    folder = str(Path(__file__).parent)
    found = set()
    for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("random", "tr_TR.UTF-8")):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(folder=folder)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert found == {f"{[one.id for one in spread(chunks([4, 2, 5]), 3)]}\n"}
