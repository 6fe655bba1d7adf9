"""Reading and chunking 1,000 documents of Markdown, beside langchain-text-splitters.

``python benchmarks/chunk.py [--reps N] [--seed N]`` prints a Markdown table. The corpus is made
from the seed; each splitter reads it in a process of its own, in turn with the others. The
rival is installed in an environment of its own under ``RAGPROOF_BENCH_HOME``.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

DOCUMENTS = 1_000
BYTES = 10_000
SIZE, OVERLAP = 1_200, 150
RIVAL = "langchain-text-splitters"
LETTERS = "eeeeeetttaaaoooiiinnnssshhrrddlluucmwfgypbvk"


def make_corpus(seed: int) -> list[list[str]]:
    """The documents, each as its blocks: headings, paragraphs, lists, tables and code."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(2, 11))) for _ in range(8_000)]
    documents = []
    for _ in range(DOCUMENTS):
        parts = [f"# {_phrase(draw, words)}\n"]
        size = 0
        while size < BYTES:
            part = _block(draw, words)
            if part[0] in "-*1" and parts[-1][0] in "-*1":
                continue  # two lists side by side can be one
            size += len(part.encode()) + 1
            parts.append(part)
        documents.append(parts)
    return documents


def write_corpus(folder: Path, documents: list[list[str]]) -> None:
    """Write each document to a file."""
    for number, parts in enumerate(documents):
        path = folder / f"part-{number // 50:02}" / f"document-{number:04}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), encoding="utf-8")


def _phrase(draw: random.Random, words: list[str]) -> str:
    return " ".join(draw.choices(words, k=draw.randint(2, 6))).capitalize()


def _sentences(draw: random.Random, words: list[str], most: int) -> str:
    count = draw.randint(1, most)
    return " ".join(
        " ".join(draw.choices(words, k=draw.randint(5, 24))).capitalize() + "."
        for _ in range(count)
    )


def _block(draw: random.Random, words: list[str]) -> str:
    kind = draw.random()
    if kind < 0.15:
        return f"{'#' * draw.randint(2, 4)} {_phrase(draw, words)}\n"
    if kind < 0.25:
        marker = draw.choice(("-", "*", "1."))
        items = (f"{marker} {_sentences(draw, words, 2)}" for _ in range(draw.randint(2, 9)))
        return "\n".join(items) + "\n"
    if kind < 0.32:
        rows = (f"| {_phrase(draw, words)} | `{draw.choice(words)}` |" for _ in range(12))
        return "\n".join(["| name | value |", "|---|---|", *rows]) + "\n"
    if kind < 0.42:
        lines = (f"{draw.choice(words)} = {draw.choice(words)}(x)  # x" for _ in range(9))
        return "\n".join(["```python", *lines, "", *lines, "```"]) + "\n"
    return _sentences(draw, words, 9) + "\n"


def _texts(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]


def ragproof(folder: Path) -> tuple[Callable[[], Any], Callable[[Any], list[list[str]]]]:
    """Reading as `ragproof corpus` reads, then its chunks."""
    from ragproof.corpus.chunk import ChunkSettings, chunk_document  # noqa: PLC0415
    from ragproof.corpus.read import read_corpus  # noqa: PLC0415

    settings = ChunkSettings(SIZE, OVERLAP)
    return (
        lambda: read_corpus(folder),
        lambda corpus: [
            [chunk.text for chunk in chunk_document(document, settings)]
            for document in corpus.documents
        ],
    )


def recursive(folder: Path) -> tuple[Callable[[], Any], Callable[[Any], list[list[str]]]]:
    """Its splitter at the separators of Markdown."""
    from langchain_text_splitters import (  # noqa: PLC0415 - only in its own environment
        Language,
        RecursiveCharacterTextSplitter,
    )

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN, chunk_size=SIZE, chunk_overlap=OVERLAP
    )
    return (
        lambda: _texts(folder),
        lambda texts: [splitter.split_text(text) for text in texts],
    )


def headers(folder: Path) -> tuple[Callable[[], Any], Callable[[Any], list[list[str]]]]:
    """Its splitter at headings, which knows no size."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter  # noqa: PLC0415

    levels = [("#" * level, str(level)) for level in range(1, 7)]
    splitter = MarkdownHeaderTextSplitter(levels, strip_headers=False)
    return (
        lambda: _texts(folder),
        lambda texts: [[part.page_content for part in splitter.split_text(text)] for text in texts],
    )


def both(folder: Path) -> tuple[Callable[[], Any], Callable[[Any], list[list[str]]]]:
    """First at headings, then by size: chunks with their headings, as ours are."""
    from langchain_text_splitters import (  # noqa: PLC0415
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    levels = [("#" * level, str(level)) for level in range(1, 7)]
    first = MarkdownHeaderTextSplitter(levels, strip_headers=False)
    second = RecursiveCharacterTextSplitter(
        chunk_size=SIZE, chunk_overlap=OVERLAP, add_start_index=True
    )
    return (
        lambda: _texts(folder),
        lambda texts: [
            [part.page_content for part in second.split_documents(first.split_text(text))]
            for text in texts
        ],
    )


SPLITTERS = {
    "ragproof": ragproof,
    "`RecursiveCharacterTextSplitter`": recursive,
    "`MarkdownHeaderTextSplitter`": headers,
    "both of these, one after the other": both,
}


def _cut(documents: list[list[str]], parts: list[list[str]]) -> float:
    """The share of blocks that fit into a chunk and are whole in none."""
    whole = [" ".join("\0".join(chunks).split()) for chunks in parts]  # however space is kept
    fitting = [
        (" ".join(block.split()), text)
        for blocks, text in zip(documents, whole, strict=True)
        for block in blocks
        if len(block.strip()) <= SIZE
    ]
    return sum(block not in text for block, text in fitting) / len(fitting)


def work(name: str, folder: Path, seed: int) -> None:
    """Read and split; print what it took, without the imports, and what came of it."""
    read, split = SPLITTERS[name](folder)
    began = time.process_time()
    corpus = read()
    between = time.process_time()
    parts = split(corpus)
    ended = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sizes = [len(chunk) for chunks in parts for chunk in chunks]
    print(
        json.dumps(
            {
                "read": between - began,
                "split": ended - between,
                "peak": peak,
                "chunks": len(sizes),
                "longest": max(sizes),
                "median": median(sizes),
                "cut": _cut(make_corpus(seed), parts),
            }
        )
    )


def main() -> None:
    """Make the corpus and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], Path(given.work[1]), given.seed)
        return
    import kit  # noqa: PLC0415 - not in the environment of the rival

    folder = kit.HOME / f"corpus-{given.seed}"
    shutil.rmtree(folder, ignore_errors=True)
    write_corpus(folder, make_corpus(given.seed))
    megabytes = sum(path.stat().st_size for path in folder.rglob("*.md")) / 1e6
    rival = kit.HOME / "venvs" / "langchain" / "bin" / "python"
    if not rival.exists():
        subprocess.run([sys.executable, "-m", "venv", rival.parents[1]], check=True)
        subprocess.run([rival, "-m", "pip", "install", "-q", RIVAL], check=True)
    done: dict[str, list[dict[str, float]]] = {name: [] for name in SPLITTERS}
    for _ in range(given.reps):
        for name, found in done.items():
            python = sys.executable if name == "ragproof" else rival
            usage = kit.run(
                python, Path(__file__).resolve(), "--work", name, folder, "--seed", given.seed
            )
            found.append(json.loads(usage.output))
    print(f"{DOCUMENTS:,} documents, {megabytes:.1f} MB, seed {given.seed}\n")
    print("| | reads | chunks | peak | chunks | median | longest | cut though they fit |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, found in done.items():
        reads, splits, peak = (
            median(one[key] for one in found) for key in ("read", "split", "peak")
        )
        last = found[-1]
        print(
            f"| {name} | {reads:.2f} s | {splits:.2f} s, {megabytes / splits:.1f} MB/s"
            f" | {peak:.0f} MB | {last['chunks']:,} | {last['median']:,.0f}"
            f" | {last['longest']:,} | {last['cut']:.1%} |"
        )


if __name__ == "__main__":
    main()
