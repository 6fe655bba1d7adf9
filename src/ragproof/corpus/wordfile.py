"""The text of a DOCX: all that a reader sees, in Markdown. It runs in a program of its own.

Headers come first; footnotes, endnotes and footers last. Insertions are read, deletions are
not; of alternatives for older programs one is read.
"""

from collections.abc import Iterator
from typing import Any

from ragproof.corpus.archive import Archive
from ragproof.corpus.extracted import Extracted
from ragproof.corpus.unreadable import UnreadableError
from ragproof.corpus.wordstory import Block, Story
from ragproof.corpus.wordstyles import Styles
from ragproof.corpus.wordxml import attribute, children, count

_NOTES = ("footnotes", "endnotes")


def extract(raw: bytes) -> Extracted:
    """The text of a document.

    Raises:
        UnreadableError: it is no DOCX, broken, or dangerous to open.
    """
    archive = Archive(raw)
    main = next((link.target for link in archive.links("") if link.kind == "officeDocument"), "")
    document = archive.root(main) if main else None
    if document is None:
        raise UnreadableError("is not a DOCX: it holds no document")
    links = list(dict.fromkeys(archive.links(main)))
    parts: dict[str, list[Any]] = {}
    for link in links:
        if link.kind in ("header", "footer", "styles", "comments", *_NOTES):
            parts.setdefault(link.kind, []).append(archive.root(link.target))
    story = Story(Styles(next(iter(parts.get("styles", [])), None)))
    blocks = [
        *_once(story, parts.get("header", [])),
        *story.blocks(document),
        *(
            block
            for kind in _NOTES
            for part in parts.get(kind, [])
            for block in _notes(story, part)
        ),
        *_once(story, parts.get("footer", [])),
    ]
    comments = sum(count(part, "w:comment") for part in parts.get("comments", []))
    return Extracted(_joined(blocks), (), tuple(_warnings(story, comments)))


def _once(story: Story, parts: list[Any]) -> Iterator[Block]:
    """Headers or footers; sections repeat them."""
    seen = set()
    for part in parts:
        blocks = tuple(story.blocks(part)) if part is not None else ()
        if blocks not in seen:
            seen.add(blocks)
            yield from blocks


def _notes(story: Story, part: Any) -> Iterator[Block]:
    for note in children(part, "w:footnote", "w:endnote"):
        if attribute(note, "type") in (None, "normal"):  # others are lines that separate
            yield from story.blocks(note)


def _joined(blocks: list[Block]) -> str:
    text = ""
    for before, block in zip([None, *blocks], blocks, strict=False):
        if before is not None:
            text += "\n" if before.item and block.item else "\n\n"
        text += block.mark + block.text
    return text + "\n" if text else ""


def _warnings(story: Story, comments: int) -> Iterator[str]:
    for number, what in (
        (comments, "comments"),
        (story.pictures, "pictures"),
        (story.inserted_files, "inserted files"),
    ):
        if number:
            yield f"{what} are not read ({number})"
