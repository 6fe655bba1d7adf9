"""Texts made to be slow take no longer than their length."""

import time

import pytest

from ragproof.corpus.chunk import chunk_document
from ragproof.corpus.records import Document

LENGTH = 100_000
LIMIT_S = 5.0
"""Of the processor; a tenth of it is usual, and what grows with the square takes minutes."""

HARD = {
    "one word": "x",
    "one line": "word ",
    "no space": "字",
    "accents": "\u0301",
    "flags": "🇩",
    "joiners": "👩\u200d",
    "stops": ".",
    "stops and quotes": '."',
    "sentences": "A b. ",
    "spaces": " ",
    "line ends": "\n",
    "spaced line ends": " \n",
    "short lines": "x\n",
    "paragraphs": "x\n\n",
    "headings": "# x\n",
    "headings below": "x\n=\n",
    "rules": "---\n",
    "titles of rst": "ab\n---\n",
    "fences": "```\n",
    "fences with words": " ```x\n",
    "growing fences": None,
    "fences in lists": "- ```\n",
    "comments": "<!--\n",
    "elements": "<pre\n",
    "brackets": "[",
    "definitions": "[a]: b\n",
    "quotes": "> ",
    "quoted lines": "> x\ny\n",
    "lists": "- ",
    "items": "- x\n",
    "loose items": "- x\n\n",
    "nested items": None,
    "tables": "|a|b|\n|-|-|\n",
    "pipes": "|",
    "indented": "    x\n\n",
    "stars": "* ",
    "numbers": "1. ",
    "front matter": "---\nx\n",
}


def hard(name: str, length: int) -> str:
    part = HARD[name]
    if part is not None:
        return part * (length // len(part))
    if name == "growing fences":
        lines = (" " + "`" * (length // 200 - number) + "x" for number in range(length // 200 - 3))
    else:
        lines = (" " * (2 * number) + "- x" for number in range(10**6))
    made: list[str] = []
    while sum(map(len, made)) < length and (line := next(lines, None)) is not None:
        made.append(line + "\n")
    return "".join(made)


@pytest.mark.parametrize("name", HARD)
def test_the_time_grows_with_the_length(name: str) -> None:
    for kind in ("markdown", "rst"):
        document = Document("a", hard(name, LENGTH), kind)
        began = time.process_time()
        chunks = chunk_document(document)
        assert time.process_time() - began < LIMIT_S, kind
        assert chunks or not document.text.strip()
