"""What is read of a page in HTML, and how its structure is kept."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.corpus.hypertext import extract, read_html


def text(source: str) -> str:
    return read_html(source).text


class TestText:
    def test_scripts_styles_and_menus_are_left_out(self) -> None:
        source = """<html><head><title>T</title><style>p { color: red }</style>
            <script>if (a < b) alert("</p>")</script></head><body>
            <nav><ul><li>Home</li></ul></nav><svg><text>drawn</text></svg>
            <noscript>turn it on</noscript><template><p>never</p></template>
            <p>Read&nbsp;me &amp; <b>all</b>.</p></body></html>"""
        assert text(source) == "# T\n\nRead\xa0me & all.\n"

    def test_the_title_counts_where_no_heading_does(self) -> None:
        assert text("<title>A  b</title><h1>C</h1>d") == "# C\n\nd\n"
        assert text("<title>A  b</title><h2>C</h2>d") == "# A b\n\n## C\n\nd\n"

    def test_words_stay_apart_and_together(self) -> None:
        assert text("<p>a\n  <i>b</i>c<br>d<span>e</span></p>f<div>g</div>h") == (
            "a bc\nde\n\nf\n\ng\n\nh\n"
        )

    def test_a_menu_that_is_never_closed_is_told(self) -> None:
        found = read_html("<p>a<nav><a>b</a><p>c")
        assert found.text == "a\n"
        assert found.warnings == ("<nav> is never closed: all that follows it is left out",)

    def test_ends_that_close_nothing_do_no_harm(self) -> None:
        assert text("</div></nav><p>a</b></p></p>b") == "a\n\nb\n"

    def test_what_is_left_out_may_hold_itself(self) -> None:
        assert text("<object><object>x</object>y</object>z") == "z\n"

    def test_conditional_sections_of_word(self) -> None:
        source = "<p>a<![if !supportLists]>b<![endif]>c<![strange x]>d</p><![CDATA[e]]>"
        assert text(source).startswith("abcd")

    def test_the_character_set_that_it_declares(self) -> None:
        raw = '<meta charset="shift_jis"><p>こんにちは</p>'.encode("shift_jis")
        assert extract(raw).text == "こんにちは\n"

    def test_numbers_of_no_character(self) -> None:
        assert "\x00" not in text("a&#0;b&#xD800;c")
        text("a&#xD800;c").encode()


class TestStructure:
    def test_headings(self) -> None:
        assert text("<h1>a\n<b>b</b></h1><h3>c</h3><h6>d") == "# a b\n\n### c\n\n###### d\n"

    def test_lists(self) -> None:
        source = """<ul><li>a<li>b<ul><li>c</ul>d<li><p>e</p><p>f</p></ul>
            <ol><li>one</li><li>two</li></ol>"""
        assert text(source) == "- a\n- b\n  - c\n  d\n- e\n  f\n\n1. one\n2. two\n"

    def test_definitions(self) -> None:
        assert text("<dl><dt>a<dd>b<dt>c<dd>d</dl>") == "a\n\nb\n\nc\n\nd\n"

    def test_code_keeps_its_lines(self) -> None:
        source = "<pre><code>def f():\n    return 1\n\nprint()</code></pre>"
        assert text(source) == "```\ndef f():\n    return 1\n\nprint()\n```\n"
        assert text("<pre>a\n```\nb</pre>") == "````\na\n```\nb\n````\n"

    def test_tables(self) -> None:
        source = """<table><thead><tr><th>a<th><p>b</p></thead>
            <tbody><tr><td>c|d<td>e<br>f<tr><td>g</table>after"""
        assert text(source) == ("| a | b |\n| --- | --- |\n| c\\|d | e f |\n| g |  |\n\nafter\n")

    def test_tables_that_lay_out_a_page(self) -> None:
        source = "<table><tr><td><h1>a</h1><td><table><tr><td>b<td>c</table><ul><li>d</ul></table>"
        assert text(source) == "# a\n\n| b | c |\n\n- d\n"

    def test_ends_in_a_cell_do_not_end_what_is_around_the_table(self) -> None:
        source = "<div><b><table><tr><td>a</div></b>b<td>c</table>"
        assert text(source) == "| ab | c |\n"

    def test_captions_and_strays_in_tables_are_not_lost(self) -> None:
        found = text("<table><caption>cap</caption>stray<tr><td>a<td>b</table>")
        assert {"cap", "stray", "| a | b |"} <= set(found.split("\n"))


class TestHard:
    @given(st.text(alphabet="<>/!-[]'\"&; =abprtdh1liuo\n"))
    def test_nothing_raises(self, source: str) -> None:
        text(source).encode()

    @given(
        st.lists(
            st.sampled_from(
                [
                    "<p>",
                    "<b>",
                    "<div>",
                    "<table>",
                    "<tr>",
                    "<td>",
                    "<ul>",
                    "<li>",
                    "<pre>",
                    "</p>",
                    "</b>",
                    "</div>",
                    "</table>",
                    "</tr>",
                    "</td>",
                    "</ul>",
                    "</li>",
                    "</pre>",
                    "<h1>",
                    "</h1>",
                    "<a>",
                    "</a>",
                ]
            )
        )
    )
    def test_no_word_is_lost_or_doubled(self, tags: list[str]) -> None:
        source = "".join(f"{tag}w{number} " for number, tag in enumerate(tags))
        words = text(source).replace("|", " ").split()
        for number in range(len(tags)):
            assert words.count(f"w{number}") == 1

    @pytest.mark.parametrize("tag", ["div", "b", "ul", "table", "li", "tr", "td", "h1", "pre"])
    def test_deep_nesting(self, tag: str) -> None:
        before = time.process_time()
        assert "end" in text(f"<{tag}>" * 50_000 + "end")
        assert time.process_time() - before < 20
