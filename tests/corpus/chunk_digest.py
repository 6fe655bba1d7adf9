"""Prints a digest of the chunks of this repository's own texts, on any Python.

The arguments are the folders to import from.
"""

import hashlib
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
# Marks and letters of Unicode 15 and 16, which older Pythons do not know.
YOUNG = "\U00011f02\U00011f04\U00011f03 \U0001e4ec\U0001e4d0. \u0897\u0628\U0001c8a8"


def main() -> None:
    sys.path[:0] = sys.argv[1:]
    try:
        import orjson  # noqa: F401
    except ImportError:  # made for another Python; chunks need none of it
        sys.modules["orjson"] = ModuleType("orjson")
    from ragproof.corpus.chunk import chunk_corpus
    from ragproof.corpus.records import Corpus, Document

    parts = {
        "markdown": [*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("*.md"))],
        "code": sorted(ROOT.glob("src/ragproof/corpus/*.py")),
        "rst": sorted(ROOT.glob("docs/*.md")),
    }
    documents = [
        Document(path.name, path.read_text(encoding="utf-8"), kind)
        for kind, paths in parts.items()
        for path in paths
    ]
    documents.append(Document("young", YOUNG * 200, "text"))
    documents.append(Document("many", "文。Ä ok. ไทย " * 500 + "e\u0301" * 3_000, "text"))
    whole = hashlib.sha256()
    for chunk in chunk_corpus(Corpus(tuple(documents))):
        whole.update(repr((chunk.id, chunk.start, chunk.end)).encode())
    sys.stdout.write(whole.hexdigest())


main()
