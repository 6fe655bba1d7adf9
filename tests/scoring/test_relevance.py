"""Which retrieved chunks are relevant, in each way of matching sources."""

import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragproof.records import Case, Chunk, Chunks, Evidence
from ragproof.scoring.relevance import (
    Match,
    NotApplicableError,
    Relevance,
    matcher,
    normaliser,
)
from ragproof.scoring.text import normalise_quote

FORMS: tuple[Literal["NFC", "NFD", "NFKC"], ...] = ("NFC", "NFD", "NFKC")

same = normaliser([], [])
by_chunk, by_document, by_prefix, by_evidence = (
    matcher(name, same) for name in ("chunk", "document", "prefix", "evidence")
)


def gold(*source_ids: str) -> Case:
    return Case("c1", "?", expected_source_ids=source_ids)


def quotes(*texts: str) -> Case:
    return Case("c1", "?", evidence=tuple(map(Evidence, texts)))


def ids(*chunk_ids: str | None) -> Chunks:
    return Chunks.of(Chunk(one) for one in chunk_ids)


def documents(*document_ids: str | None) -> Chunks:
    return Chunks.of(Chunk(f"chunk-{i}", document_id=one) for i, one in enumerate(document_ids))


def texts(*chunk_texts: str | None) -> Chunks:
    return Chunks.of(Chunk("same id", text) for text in chunk_texts)


class TestRelevance:
    def test_counts_found_gold_items_by_rank(self) -> None:
        relevance = Relevance((2, 5, 9), (1, 3, 1), 6)
        assert [relevance.found_within(k) for k in (1, 2, 4, 5, 8, 9, 50)] == [0, 1, 1, 4, 4, 5, 5]

    def test_gold_items_found_in_one_chunk_are_one_item(self) -> None:
        assert Relevance((), (), 4).items == 4
        assert Relevance((1,), (1,), 4).items == 4
        assert Relevance((1,), (3,), 4).items == 2
        assert Relevance((2, 7), (3, 1), 4).items == 2


class TestChunk:
    def test_ranks_of_gold_ids(self) -> None:
        relevance = by_chunk(gold("b", "d", "x"), ids("a", "b", "c", "d"))
        assert relevance == Relevance((2, 4), (1, 1), 3)

    def test_nothing_retrieved(self) -> None:
        assert by_chunk(gold("b"), Chunks()) == Relevance((), (), 1)

    def test_ids_retrieved_again_close_up(self) -> None:
        assert by_chunk(gold("c"), ids("a", "a", "b", "a", "c", "c")).ranks == (3,)

    def test_a_gold_id_given_twice_counts_once(self) -> None:
        assert by_chunk(gold("b", "b"), ids("b")) == Relevance((1,), (1,), 1)

    def test_ids_are_compared_as_they_are(self) -> None:
        assert by_chunk(gold("A.md"), ids("a.md", "A.md ", "A", "A.md#1")).ranks == ()

    def test_a_chunk_without_id(self) -> None:
        with pytest.raises(NotApplicableError, match="no id"):
            by_chunk(gold("b"), ids("b", None))

    def test_a_case_without_gold(self) -> None:
        with pytest.raises(NotApplicableError, match="no expected source ids"):
            by_chunk(gold(), ids("a"))

    @given(
        st.lists(st.sampled_from("abcdef"), max_size=20),
        st.sets(st.sampled_from("abcxyz"), min_size=1),
    )
    def test_duplicates_anywhere_change_nothing(
        self, retrieved: list[str], wanted: set[str]
    ) -> None:
        unique = [one for at, one in enumerate(retrieved) if one not in retrieved[:at]]
        relevance = by_chunk(gold(*wanted, *wanted), ids(*retrieved))
        assert relevance == by_chunk(gold(*wanted), ids(*unique))
        assert relevance.items == relevance.gold == len(wanted)
        assert [unique[rank - 1] in wanted for rank in relevance.ranks] == [True] * len(
            relevance.ranks
        )
        assert len(relevance.ranks) == len(wanted & set(retrieved))


class TestDocument:
    def test_a_document_stands_at_its_first_chunk(self) -> None:
        relevance = by_document(gold("b", "c"), documents("a", "a", "b", "a", "b", "c"))
        assert relevance == Relevance((2, 3), (1, 1), 2)

    def test_the_chunk_id_is_not_looked_at(self) -> None:
        assert by_document(gold("chunk-0"), documents("a")).ranks == ()

    def test_a_chunk_without_document_id(self) -> None:
        with pytest.raises(NotApplicableError, match="no document_id"):
            by_document(gold("b"), documents("b", None))


class TestPrefix:
    @pytest.mark.parametrize(
        "one",
        [
            "/data/a",
            "/data/a/",
            "/data/a/b.md",
            "/data/a#part",
            "/data/a?v=2",
            "/data/a:10-20",
            "/data/a/b/c#d",
        ],
    )
    def test_is_an_ancestor(self, one: str) -> None:
        assert by_prefix(gold("/data/a"), ids(one)).ranks == (1,)
        assert by_prefix(gold("/data/a/"), ids(one)).ranks == (1,)

    @pytest.mark.parametrize(
        "one",
        ["/data/ab", "/data/a.md", "/data/a-b", "/data/a b", "/data", "/Data/a/b", "x/data/a/b"],
    )
    def test_is_no_ancestor(self, one: str) -> None:
        assert by_prefix(gold("/data/a"), ids(one)).ranks == ()

    @pytest.mark.parametrize("root", ["/", "viking://", "viking://resources", "viking:"])
    def test_a_root_is_an_ancestor_of_all(self, root: str) -> None:
        whole = "/x/y" if root == "/" else "viking://resources/x"
        assert by_prefix(gold(root), ids(whole)).ranks == (1,)

    def test_a_second_chunk_under_a_found_gold_id_adds_nothing(self) -> None:
        relevance = by_prefix(gold("a", "b"), ids("a#1", "a#2", "b#1", "a#3"))
        assert relevance == Relevance((1, 3), (1, 1), 2)

    def test_the_same_chunk_again_closes_up(self) -> None:
        assert by_prefix(gold("b"), ids("a#1", "a#1", "b#1")).ranks == (2,)

    def test_one_chunk_may_lie_under_several_gold_ids(self) -> None:
        relevance = by_prefix(gold("a", "a/b", "c"), ids("x", "a/b/1", "c/1"))
        assert relevance == Relevance((2, 3), (2, 1), 3)
        assert relevance.items == 2

    def test_the_nearer_of_two_gold_ids_may_come_later(self) -> None:
        assert by_prefix(gold("a", "a/b"), ids("a/1", "a/b/1")) == Relevance((1, 2), (1, 1), 2)

    def test_gold_ids_that_are_one_place_count_once(self) -> None:
        assert by_prefix(gold("a", "a/", "a"), ids("a/1")) == Relevance((1,), (1,), 1)

    def test_a_chunk_without_id(self) -> None:
        with pytest.raises(NotApplicableError, match="no id"):
            by_prefix(gold("b"), ids(None))

    @given(
        st.lists(st.sampled_from("abcdef"), max_size=20),
        st.sets(st.sampled_from("abcxyz"), min_size=1),
    )
    def test_without_hierarchy_is_as_by_chunk(self, retrieved: list[str], wanted: set[str]) -> None:
        case, chunks = gold(*wanted), ids(*retrieved)
        assert by_prefix(case, chunks) == by_chunk(case, chunks)


class TestEvidence:
    def test_ranks_of_chunks_that_hold_quotes(self) -> None:
        case = quotes("sixty days", "a receipt")
        chunks = texts("Returns.", "Bring a receipt.", "Within sixty days.")
        assert by_evidence(case, chunks) == Relevance((2, 3), (1, 1), 2)

    def test_ids_need_not_agree(self) -> None:
        case = Case("c", "?", expected_source_ids=("other",), evidence=(Evidence("q", "other"),))
        assert by_evidence(case, Chunks.of([Chunk(None, "a q b")])).ranks == (1,)

    def test_two_quotes_in_one_chunk_are_one_relevant_item(self) -> None:
        relevance = by_evidence(quotes("one", "two", "three"), texts("x", "one two"))
        assert relevance == Relevance((2,), (2,), 3)
        assert relevance.items == 2

    def test_a_chunk_that_adds_no_quote_is_not_relevant(self) -> None:
        relevance = by_evidence(quotes("one", "two"), texts("one", "again one", "one and two"))
        assert relevance == Relevance((1, 3), (1, 1), 2)

    def test_equal_texts_close_up(self) -> None:
        relevance = by_evidence(
            quotes("one"), texts("x", "x", " x\u200b ", "caf\u00e9", "cafe\u0301", "one")
        )
        assert relevance.ranks == (3,)

    @pytest.mark.parametrize(
        ("quote", "text"),
        [
            ("caf\u00e9 au lait", "un cafe\u0301 au lait"),
            ("cafe\u0301 au lait", "un caf\u00e9 au lait"),
            ("sixty days from delivery", "within sixty\n  days\tfrom\r\ndelivery."),
            ("sixty\u00a0days", "within sixty days"),
            (" sixty days\n", "within sixty days"),
            ("sixty days", "six\u200bty da\u00adys"),
            ("six\ufeffty days", "within sixty days"),
            ("Abs\u00e4tze \ufb01nden", "hier Absa\u0308tze finden"),
            ("\uff21\uff22\uff23", "the ABC"),
            (
                "\u6771\u4eac\u90fd\u5e81",
                "\u65b0\u5bbf\u306b\u6771\u4eac\u90fd\u5e81\u304c\u3042\u308b",
            ),
        ],
    )
    def test_quotes_are_normalised(self, quote: str, text: str) -> None:
        assert by_evidence(quotes(quote), texts(text)).ranks == (1,)

    @pytest.mark.parametrize(
        "text", ["Sixty days", "sixtydays", "sixty  working days", "sixty", ""]
    )
    def test_verbatim_otherwise(self, text: str) -> None:
        assert by_evidence(quotes("sixty days"), texts(text)).ranks == ()

    def test_the_same_quote_counts_once(self) -> None:
        assert by_evidence(quotes("caf\u00e9", "cafe\u0301"), texts("caf\u00e9")).gold == 1

    def test_nothing_retrieved(self) -> None:
        assert by_evidence(quotes("one"), Chunks()) == Relevance((), (), 1)

    def test_a_chunk_without_text(self) -> None:
        with pytest.raises(NotApplicableError, match="no text"):
            by_evidence(quotes("one"), texts("one", None))

    def test_a_case_without_quotes(self) -> None:
        with pytest.raises(NotApplicableError, match="no evidence"):
            by_evidence(gold("a"), texts("one"))

    @pytest.mark.parametrize("blank", ["", " \n", "\u200b", "\u00ad\ufeff"])
    def test_a_quote_of_nothing_visible_is_not_found_everywhere(self, blank: str) -> None:
        with pytest.raises(NotApplicableError, match="no visible character"):
            by_evidence(quotes("one", blank), texts("one"))

    @given(st.text(min_size=1), st.text(), st.text(), st.sampled_from(FORMS))
    def test_a_quote_is_found_in_its_text_in_any_form(
        self, quote: str, before: str, after: str, form: Literal["NFC", "NFD", "NFKC"]
    ) -> None:
        text = unicodedata.normalize(form, f"{before} {quote} {after}")
        assume(normalise_quote(quote))
        assert by_evidence(quotes(quote), texts(text)).ranks == (1,)


class TestNormaliser:
    def test_nothing_to_do_is_identity(self) -> None:
        assert same("/x/y") == "/x/y"

    @pytest.mark.parametrize(
        ("prefixes", "one", "right"),
        [
            (["viking://docs/"], "viking://docs/a.md", "a.md"),
            (["viking://docs/"], "a.md", "a.md"),
            (["docs/"], "docs/docs/a.md", "docs/a.md"),
            (["x/", "docs/"], "docs/a.md", "a.md"),
            (["docs/", "docs/v2/"], "docs/v2/a.md", "a.md"),
            (["", "docs/"], "docs/a.md", "a.md"),
            (["docs."], "docs/a.md", "docs/a.md"),
        ],
    )
    def test_strip_prefix(self, prefixes: list[str], one: str, right: str) -> None:
        assert normaliser(prefixes, [])(one) == right

    @pytest.mark.parametrize(
        ("replacements", "one", "right"),
        [
            ([(r"#.*$", "")], "a.md#12", "a.md"),
            ([(r"_(\d+)\.md$", r".md#\1")], "a_12.md", "a.md#12"),
            ([(r"\\", "/")], "a\\b\\c", "a/b/c"),
            ([("a", "b"), ("b", "c")], "aba", "ccc"),
            ([("x", "y")], "a", "a"),
        ],
    )
    def test_replace(self, replacements: list[tuple[str, str]], one: str, right: str) -> None:
        assert normaliser([], replacements)(one) == right

    def test_prefix_first_then_replacements(self) -> None:
        assert normaliser(["s3://b/"], [("^docs/", ""), (r"\.md$", "")])("s3://b/docs/a.md") == "a"

    @pytest.mark.parametrize(
        ("pattern", "replacement"),
        [("(", ""), ("*", ""), ("a", r"\1"), ("(a)", r"\2"), ("a", r"\g<name>"), ("a", "\\")],
    )
    def test_a_rule_that_cannot_work_is_refused_at_once(
        self, pattern: str, replacement: str
    ) -> None:
        with pytest.raises(ValueError, match=re.escape(repr(pattern))):
            normaliser([], [(pattern, replacement)])

    @pytest.mark.parametrize("name", ["chunk", "document", "prefix"])
    def test_gold_and_retrieved_ids_are_both_normalised(self, name: str) -> None:
        match: Match = matcher(name, normaliser(["s3://b/", "/mnt/"], [(r"\.html?$", "")]))
        names = ["s3://b/x.htm", "/mnt/y.html", "y.htm"]
        chunks = Chunks.of(Chunk(one, None, None, one) for one in names)
        assert match(gold("/mnt/y.htm", "y", "/mnt/z"), chunks) == Relevance((2,), (1,), 2)

    def test_ids_that_become_equal_close_up(self) -> None:
        match = matcher("chunk", normaliser([], [("#.*", "")]))
        assert match(gold("b"), ids("a#1", "a#2", "b#1")).ranks == (2,)

    def test_an_unknown_way_of_matching(self) -> None:
        with pytest.raises(KeyError):
            matcher("title", same)
