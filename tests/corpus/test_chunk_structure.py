"""Chunks follow the structure of each format."""

from itertools import pairwise

import pytest

from ragproof.corpus.chunk import ChunkSettings, chunk_document
from ragproof.corpus.records import Chunk, Document

FILLER = "This sentence fills the space before. " * 4


def chunks(text: str, size: int = 200, overlap: int = 0, kind: str = "markdown") -> list[Chunk]:
    return chunk_document(Document("a", text, kind), ChunkSettings(size, overlap))


def texts(text: str, size: int = 200, overlap: int = 0, kind: str = "markdown") -> list[str]:
    return [chunk.text for chunk in chunks(text, size, overlap, kind)]


def paths(text: str, kind: str = "markdown") -> list[str]:
    """The paths of chunks of a text whose sections are too long to be put together."""
    spaced = text.replace("...", "A sentence that is long. " * 3 + "\n")
    return [" > ".join(chunk.headings) for chunk in chunks(spaced, 120, 0, kind)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "...\n# A\n...\n## B\n...\n### C\n...\n## D\n...",
            ["", "A", "A > B", "A > B > C", "A > D"],
        ),
        ("# A\n...\n### C\n...\n## B\n...\n# Z\n...", ["A", "A > C", "A > B", "Z"]),
        ("A\n=\n...\nB b\n---\n...\n### C\n...", ["A", "A > B b", "A > B b > C"]),
        (
            "# A #\n...\n## `b` *c* ##\n...\n## C#\n...\n##\n...",
            ["A", "A > `b` *c*", "A > C#", "A"],
        ),
        ("# A\r\n...\r\n## B\r\n...", ["A", "A > B"]),
        ("# A\n...\n#B\n...\n    # C\n...\n\\# D\n...", ["A"] * 4),
        ("# A\n...\n```sh\n# B\n```\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n~~~\n```\n# B\n~~~\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n````\n```\n# B\n````\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n- x\n\n  ```sh\n# B\n  ```\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n- ```sh\n  # B\n  ```\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n- ```sh\n  unclosed\n\n## C\n...", ["A", "A > C"]),
        ("# A\n...\n<!--\n# B\n\n-->\n...\n## C\n...", ["A", "A", "A > C"]),
        ("# A\n...\n<!-- unclosed\n\n## C\n...", ["A", "A > C"]),
        ("# A\n...\n<pre>\n# B\n</pre>\n...\n## C\n...", ["A", "A", "A > C"]),
        ("---\ntitle: x\n---\n...\n# A\n...", ["", "A"]),
        ("+++\ntitle = 1\n# x\n+++\n...\n# A\n...", ["", "A"]),
        ("# A\n...\n1. x\n---\n...\nTwo\nlines\n---\n...", ["A"] * 3),
        ("# A\n...\n| a |\n|---|\n| b |\n...", ["A", "A"]),
        ("# " + "long " * 100 + "\n...", [("long " * 40).strip()]),
    ],
)
def test_markdown_headings(text: str, expected: list[str]) -> None:
    found = paths(text)
    assert list(dict.fromkeys(found)) == list(dict.fromkeys(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("...\n\nA\n=\n\n...", [""]),
        ("Top\n===\n\n...\n\nSub\n---\n\n...\n\nNext\n====\n\n...", ["Top", "Top > Sub", "Next"]),
        (
            "=====\nTitle\n=====\n\n...\n\nPart\n=====\n\n...\n\nSub one\n~~~~~~~\n\n...",
            ["Title", "Title > Part", "Title > Part > Sub one"],
        ),
        ("...\n\n=====\n Top\n=====\n\n...", ["", "Top"]),
        (
            "Top\n===\n\n...\n\n----------\n\n...\n\nLast of\na paragraph\n-----------\n\n...",
            ["Top"],
        ),
        ("Top\n===\n\n...\n\n=====  =====\na      b\n=====  =====\n\n...", ["Top"]),
        ("Top\n===\n\n...\n\ncode::\n\n    Not\n    ---\n\n...", ["Top"]),
        ("Größe\n=====\n\n...\n\n标题\n----\n\n...", ["Größe", "Größe > 标题"]),
    ],
)
def test_rst_headings(text: str, expected: list[str]) -> None:
    found = paths(text, "rst")
    assert list(dict.fromkeys(found)) == expected


@pytest.mark.parametrize("kind", ["html", "docx"])
def test_what_reading_makes_markdown_of_has_headings(kind: str) -> None:
    assert paths("# A\n\n...\n\n## B\n\n...", kind) == ["A", "A > B"]
    assert paths("---\n\nx\n\n---\n\n# A\n\n...", kind)[-1] == "A"


WHOLE = {
    "code": "```py\n" + "x = 1\n\n" * 20 + "```",
    "indented code": "    x = 1\n\n" * 14 + "    x = 2",
    "table": "| name | value |\n|---|---|\n" + "| some | 1 |\n" * 11 + "| some | 1 |",
    "list": "- First. Item.\n\n- Second. Item.\n\n  Its second paragraph.\n\n- Third. " + "x" * 60,
    "numbered list": "1. First. Item.\n2. Second. Item.\n\n3. Third. " + "x" * 90,
    "quote": "> First. Line.\n>\n> Second. Line. " + "x" * 110,
    "html": "<table>\n" + "<tr><td>A. B</td></tr>\n" * 6 + "</table>",
    "paragraph": "A sentence. " * 14 + "The last.",
}


@pytest.mark.parametrize("name", WHOLE)
def test_blocks_are_whole_where_they_fit(name: str) -> None:
    block = WHOLE[name]
    assert 120 < len(block) <= 200
    for text in (f"# A\n\n{FILLER}\n\n{block}\n\n{FILLER}", f"{block}\n\n{FILLER}{FILLER}"):
        assert any(block in found for found in texts(text)), texts(text)


def test_a_long_table_is_divided_at_its_rows() -> None:
    table = "| name | value |\n|---|---|\n" + "".join(
        f"| A name. And another {number} | {number} |\n" for number in range(40)
    )
    for found in texts(f"# A\n\n{table}"):
        assert found.startswith(("# A", "|"))
        assert found.endswith("|")


def test_a_long_list_is_divided_at_its_items() -> None:
    item = "- An item. It has two sentences.\n\n  And a paragraph.\n"
    for found in texts(f"# A\n\n{item * 20}"):
        assert found.startswith(("# A", "- An item."))
        assert found.endswith("And a paragraph.")


def test_a_long_function_is_divided_between_its_blocks() -> None:
    function = "def f():\n" + "    x = 1. and 2.\n    y = 2\n\n" * 12
    for found in texts(f"{function}\nz = 3\n", kind="code"):
        assert found.startswith(("def f():", "    x = 1"))
        assert found.endswith(("y = 2", "z = 3"))


def test_functions_stay_whole() -> None:
    function = "def {0}():\n    x = 1\n\n    y = 2\n\n    return '" + "z" * 100 + "'\n"
    found = texts("\n\n".join(function.format(name) for name in "abc"), kind="code")
    assert [one[:6] for one in found] == ["def a(", "def b(", "def c("]
    braces = "void {0}() {{\n  x();\n\n  y();\n\n}}\n" + "// " + "z" * 100 + "\n"
    found = texts("\n\n".join(braces.format(name) for name in "abc"), kind="code")
    assert [one[:6] for one in found] == ["void a", "void b", "void c"]


def test_a_directive_keeps_its_content() -> None:
    block = ".. note::\n\n   First.\n\n   Second. " + "x" * 100
    found = texts(f"{FILLER}\n\n{block}\n\n{FILLER}", kind="rst")
    assert block in found


def test_a_heading_is_with_what_follows() -> None:
    for length in range(20, 200, 7):
        text = f"# A\n\n{'x. ' * 20}\n\n{'y' * length}\n\nB\n---\n\n{'z. ' * 20}"
        (found,) = [one for one in texts(text) if "---" in one]
        assert "---\n\nz. z." in found, length


def test_what_ends_with_a_colon_is_with_what_follows() -> None:
    for length in range(20, 170, 7):
        text = f"# A\n\n{FILLER}\n\n{'y' * length}\n\nThe options:\n\n- one\n- two\n\n{FILLER}"
        assert any("The options:\n\n- one\n- two" in one for one in texts(text)), length


def test_small_sections_are_put_together() -> None:
    found = chunks("# A\n\n" + "".join(f"## B{number}\n\nShort.\n\n" for number in range(9)))
    assert [chunk.headings for chunk in found] == [("A",)] * 2
    assert all(len(chunk.text) > 50 for chunk in found)


def test_what_the_parser_leaves_out_is_there() -> None:
    definitions = "".join(f"[name {number}]: https://example.invalid/\n" for number in range(20))
    deep = "".join(" " * (2 * depth) + f"- deep {depth}\n" for depth in range(40))
    text = f"# A\n\n{definitions}\n{deep}\n{'> ' * 30}deepest\n"
    joined = "\n".join(texts(text))
    assert all(f"[name {number}]" in joined for number in range(20))
    assert all(f"deep {depth}\n" in joined + "\n" for depth in range(40))
    assert "deepest" in joined


SENTENCES = {
    "en": 'He said it is 3.5 m. "Is it?" She (twice.) Dr. K. Lee came on 1. May, e.g. by bus. ',
    "de": "Am 3. Oktober kam z. B. Frau K. Meier. „Wirklich?“ Ja! ",
    "zh": "他说：“今天很好。”然后走了。真的吗？是的！",
    "ja": "「そうです。」と言った。本当ですか？はい。",
    "ko": "그는 말했다. 정말인가? 그렇다! ",
    "hi": "वह गया। क्या सच? हाँ। ",
    "ar": "قال ذلك. هل هذا صحيح؟ نعم. ",
    "ur": "وہ گیا۔ کیا سچ؟ ہاں۔ ",
    "el": "Είπε ναι. Ήρθε. ",
    "ru": "Он сказал. Правда? Да! ",
    "am": "እሱ ሄደ። እውነት ነው፧ አዎ። ",
    "km": "គាត់ទៅ។ មែនទេ? ",
    "my": "သူသွားသည်။ မှန်သလား။ ",
    "bo": "ཁོང་ཕེབས་སོང་།ཡིན་ནམ། ",
    "hy": "Նա գնաց։ Այո։ ",
}
ENDS = tuple('.?!。？！।؟۔።፧།។။։”")“」')


@pytest.mark.parametrize("language", SENTENCES)
def test_long_paragraphs_are_divided_between_sentences(language: str) -> None:
    sentence = SENTENCES[language]
    found = texts(sentence * 40, size=len(sentence) + 20)
    assert len(found) >= 15
    for one in found:
        assert one.endswith(ENDS), one
    # Nothing that belongs together is at the two sides of a cut.
    for before, after in (("Dr.", "K."), ("1.", "May"), ("3.", "Okt"), ("z.", "B."), ("K.", "M")):
        for one, other in pairwise(found):
            assert not (one.endswith(before) and other.startswith(after))


def test_thai_is_divided_at_its_spaces() -> None:
    text = "ภาษาไทยเขียนติดกันเป็นวลี แล้วเว้นวรรคระหว่างประโยค " * 40
    for one in texts(text):
        assert one[0] in "ภแ"
        assert one.endswith(("วลี", "ประโยค"))
        assert len(one) > 70


@pytest.mark.parametrize(
    "text",
    [
        "ภาษาไทยที่เขียนติดกันโดยไม่มีเว้นวรรคเลย" * 60,
        "没有任何标点的很长的一段文字" * 100,
        "ကမြန်မာစာ" * 200,
        "e\u0301" * 1_000,
        "👩\u200d👩\u200d👧\u200d👦" * 300,
        "x" * 2_000,
    ],
)
def test_no_language_without_spaces_becomes_one_chunk(text: str) -> None:
    found = texts(text, overlap=30)
    assert len(found) >= len(text) / 200
    assert all(len(one) > 120 for one in found[:-1])


def test_a_word_is_whole_where_it_fits() -> None:
    address = "https://example.invalid/" + "x" * 150
    assert all(one.count(address) == one.count("https") for one in texts(f"{address} " * 9))


def test_a_character_is_longer_than_a_chunk() -> None:
    heap = "a" + "\u0301" * 500
    assert texts(f"before {heap} after") == ["before", heap, "after"]


def test_chunks_repeat_the_last_sentences() -> None:
    text = " ".join(f"Sentence number {number} is here." for number in range(50))
    found = chunks(text, 200, 60)
    for one, other in pairwise(found):
        assert 25 < one.end - other.start <= 60
        assert other.text.startswith("Sentence number")


def test_chunks_repeat_words_where_a_sentence_goes_on() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    found = chunks(text, 200, 60)
    for one, other in pairwise(found):
        assert 45 < one.end - other.start <= 60
        assert other.text.startswith("word")


def test_nothing_is_repeated_where_a_section_begins() -> None:
    text = "".join(f"## B{number}\n\n{FILLER}\n\n" for number in range(5))
    found = chunks(text, 200, 60)
    assert all(chunk.text.startswith("## B") for chunk in found)


def test_a_chunk_knows_its_page() -> None:
    pages = [
        "First page. " * 30,
        "",
        "Third page. " * 5,
        "Fourth, a sentence that goes",
        "on here.",
    ]
    offsets, text = [], ""
    for page in pages:
        offsets.append(len(text))
        text += page + "\n\n"
    found = chunk_document(Document("a.pdf", text, "pdf", tuple(offsets)), ChunkSettings(200, 20))
    assert [chunk.page for chunk in found] == [1, 1, 3, 4, 5]


def test_code_keeps_the_indentation_of_its_first_line() -> None:
    function = "class A:\n" + "".join(f"    def f{n}(self):\n        pass\n\n" for n in range(20))
    assert all(one.startswith(("class", "    def")) for one in texts(function, kind="code"))
