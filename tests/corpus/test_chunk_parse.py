"""Blocks that are found without the parser are those that it finds."""

from hypothesis import example, given
from hypothesis import strategies as st

from ragproof.corpus.blocks import Block
from ragproof.corpus.chunk_parse import _parsed, parsed_blocks

LINES = [
    *("word", "Two words.", "Ends with:", "**bold** x", "`code` x", "ünïcode", "a | b", "x: y"),
    *("", "", "", " ", "  indented", "    deep", "- item", "* item", "1. item", "  - inner"),
    *("> quote", ">", "```", "```py", "~~~", "````", "  ```", "- ```", "---", "===", "***"),
    *("| a | b |", "|---|---|", "| c | d |", "|", "[a]: b", "[a", "<div>", "<!-- x", "-->"),
    *("<pre>", "</pre>", "**", "``x``", "- x", "\\# x", "1986. x", "+", "&nbsp;", "word  "),
]
texts = st.lists(st.sampled_from(LINES), max_size=25).map("\n".join)


def flat(text: str, blocks: list[Block]) -> list[tuple[int, int]]:
    return [(block.start, block.end) for block in blocks]


@given(texts)
@example("```\na\n```\nword\n\n```\nb\n```\n\nword")
@example("- item\n\n  ```\n  x\n\nword\n\n  y\n  ```")
@example("<!-- x\n\nword\n\n-->\n\nword")
@example("| a | b |\n|---|---|\n| c | d |\nword\n\nword")
@example("word\n- item\n\nword")
@example("word\n---\n\nword\n===")
def test_both_ways_give_the_same_blocks(text: str) -> None:
    ours = list(parsed_blocks(text, 0, len(text), ()))
    theirs = list(_parsed(text, 0, len(text), ()))
    assert flat(text, ours) == flat(text, theirs)
    assert [one.kind for one in ours] == [one.kind for one in theirs]
    assert [one.leads for one in ours] == [one.leads for one in theirs]
