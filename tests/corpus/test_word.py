"""What is read of a DOCX, and which ones are not opened."""

import pytest
from making import make_docx, make_zip, paragraph, part

from ragproof.corpus.unreadable import UnreadableError
from ragproof.corpus.wordfile import extract

STYLES = part(
    "styles",
    '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style>'
    '<w:style w:styleId="Outlined"><w:name w:val="Chapter"/>'
    '<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
    '<w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="L"><w:name w:val="List Bullet"/>'
    '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>',
)


def text(body: str, **parts: str) -> str:
    return extract(make_docx(body, parts)).text


def styled(name: str, words: str) -> str:
    return paragraph(words, f'<w:pStyle w:val="{name}"/>')


def cell(inside: str) -> str:
    return f"<w:tc>{inside}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(map(cell, cells))}</w:tr>"


class TestText:
    def test_insertions_are_read_and_deletions_are_not(self) -> None:
        body = (
            "<w:p><w:r><w:t>kept </w:t></w:r>"
            "<w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>"
            "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
            "<w:moveFrom><w:r><w:t>from here</w:t></w:r></w:moveFrom>"
            "<w:moveTo><w:r><w:t> moved</w:t></w:r></w:moveTo></w:p>"
        )
        assert text(body) == "kept inserted moved\n"

    def test_a_paragraph_whose_end_is_deleted_goes_on(self) -> None:
        body = paragraph("one ", "<w:rPr><w:del/></w:rPr>") + paragraph("line")
        assert text(body) == "one line\n"
        assert text(paragraph("last", "<w:rPr><w:del/></w:rPr>")) == "last\n"

    def test_inserted_and_deleted_blocks(self) -> None:
        body = f"<w:ins>{paragraph('new')}</w:ins><w:del>{paragraph('old')}</w:del>"
        assert text(body) == "new\n"

    @pytest.mark.parametrize("alternative", ["mc:Choice", "mc:Fallback"])
    def test_text_boxes_are_read_once(self, alternative: str) -> None:
        box = f"<wps:txbx><w:txbxContent>{paragraph('in the box')}</w:txbxContent></wps:txbx>"
        old = f"<w:pict><v:textbox><w:txbxContent>{paragraph('in the box')}</w:txbxContent>"
        old += "</v:textbox></w:pict>"
        choice = box if alternative == "mc:Choice" else ""
        body = (
            "<w:p><w:r><w:t>before </w:t><mc:AlternateContent>"
            f'<mc:Choice Requires="wps"><w:drawing>{choice}</w:drawing></mc:Choice>'
            f"<mc:Fallback>{old}</mc:Fallback></mc:AlternateContent><w:t>after</w:t></w:r></w:p>"
        )
        assert text(body) == "before after\n\nin the box\n"

    def test_content_controls_fields_links_and_formulas(self) -> None:
        inner = (
            "<w:p><w:sdt><w:sdtPr><w:alias w:val='name'/></w:sdtPr><w:sdtContent><w:r><w:t>a"
            "</w:t></w:r></w:sdtContent></w:sdt><w:hyperlink><w:r><w:t>b</w:t></w:r></w:hyperlink>"
            "<w:r><w:fldChar/><w:instrText>PAGEREF</w:instrText></w:r>"
            "<w:fldSimple><w:r><w:t>c</w:t></w:r></w:fldSimple>"
            "<m:oMath><m:r><m:t>d</m:t></m:r></m:oMath><w:smartTag><w:r><w:t>e</w:t></w:r>"
            "</w:smartTag></w:p>"
        )
        body = f"<w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt>"
        assert text(body) == "abcde\n"

    def test_breaks_tabs_and_hyphens(self) -> None:
        body = (
            "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t>"
            "<w:br/><w:t>non</w:t><w:noBreakHyphen/><w:t>stop soft</w:t><w:softHyphen/>"
            '<w:t>ware</w:t><w:sym w:char="00E9"/><w:sym w:char="F0B7"/></w:r></w:p>'
        )
        assert text(body) == "a\tb\nnon-stop softwareé\n"

    def test_ruby_is_read_without_its_gloss(self) -> None:
        body = (
            "<w:p><w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt>"
            "<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
        )
        assert text(body) == "東京\n"

    def test_headers_notes_and_footers(self) -> None:
        notes = part(
            "footnotes",
            f'<w:footnote w:type="separator">{paragraph("line")}</w:footnote>'
            f"<w:footnote>{paragraph('a note')}</w:footnote>",
        )
        found = text(
            paragraph("body"),
            header1=part("hdr", paragraph("head")),
            header2=part("hdr", paragraph("head")),
            footer1=part("ftr", paragraph("foot")),
            footnotes=notes,
            endnotes=part("endnotes", f"<w:endnote>{paragraph('at the end')}</w:endnote>"),
        )
        assert found == "head\n\nbody\n\na note\n\nat the end\n\nfoot\n"

    def test_what_is_left_out_is_told(self) -> None:
        body = paragraph("x") + '<w:altChunk r:id="r9"/><w:p><w:r><a:blip/></w:r></w:p>'
        comments = part("comments", f"<w:comment>{paragraph('why?')}</w:comment>")
        found = extract(make_docx(body, {"comments": comments}))
        assert found.text == "x\n"
        assert found.warnings == (
            "comments are not read (1)",
            "pictures are not read (1)",
            "inserted files are not read (1)",
        )


class TestStructure:
    def test_headings(self) -> None:
        body = (
            styled("T", "The title")
            + styled("berschrift2", "By name")
            + styled("Own", "By base")
            + styled("Outlined", "By level")
            + paragraph("Its own", '<w:outlineLvl w:val="0"/>')
            + paragraph("Body", '<w:outlineLvl w:val="9"/>')
            + styled("Loop", "No end")
            + styled("unknown", "plain")
        )
        assert text(body, styles=STYLES).split("\n\n") == [
            "# The title",
            "## By name",
            "## By base",
            "### By level",
            "# Its own",
            "Body",
            "No end",
            "plain\n",
        ]

    def test_headings_without_styles(self) -> None:
        assert text(styled("Heading3", "Deep")) == "### Deep\n"

    def test_lists(self) -> None:
        def item(level: int, words: str) -> str:
            return paragraph(
                words, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
            )

        body = item(0, "a") + item(1, "b") + styled("L", "c") + paragraph("end")
        assert text(body, styles=STYLES) == "- a\n  - b\n- c\n\nend\n"
        off = paragraph("no item", '<w:pStyle w:val="L"/><w:numPr><w:numId w:val="0"/></w:numPr>')
        assert text(off, styles=STYLES) == "no item\n"

    def test_tables(self) -> None:
        table = (
            "<w:tbl><w:tblPr/>"
            + row(paragraph("a|b"), paragraph("c") + paragraph("d"))
            + row(paragraph("gone"), properties="<w:trPr><w:del/></w:trPr>")
            + f"<w:sdt><w:sdtContent>{row(paragraph('e'))}</w:sdtContent></w:sdt>"
            + "</w:tbl>"
        )
        assert text(table) == "| a\\|b | c d |\n| --- | --- |\n| e |  |\n"

    def test_tables_that_lay_out_a_page(self) -> None:
        inner = f"<w:tbl>{row(paragraph('a'), paragraph('b'))}</w:tbl>"
        outer = f"<w:tbl>{row(paragraph('left'), inner + paragraph('below'))}</w:tbl>"
        assert text(outer) == "left\n\n| a | b |\n\nbelow\n"
        assert text(f"<w:tbl>{row(paragraph('boxed'))}</w:tbl>") == "boxed\n"

    def test_the_strict_variant(self) -> None:
        body = part("document", f"<w:body>{paragraph('strict')}</w:body>").replace(
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
        assert extract(make_docx(word__document=body)).text == "strict\n"


def refused(raw: bytes) -> str:
    with pytest.raises(UnreadableError) as caught:
        extract(raw)
    return caught.value.reason


class TestRefused:
    @pytest.mark.parametrize("name", ["word__document", "docProps__app", "word__settings"])
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_a_document_type_in_any_part(self, name: str, encoding: str) -> None:
        declared = (
            '<!-- <x> --><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
            + part("document", f"<w:body>{paragraph('&b;')}</w:body>").partition("?>")[2]
        )
        assert "DTD" in refused(make_docx("x", **{name: declared.encode(encoding)}))

    def test_sizes_inside_are_looked_at_before_it_is_unpacked(self) -> None:
        assert refused(make_docx(word__big=b" " * 60_000_000)) == (
            "unpacks to 60 MB, more than 50 MB"
        )
        many = {f"word__big{number}": b" " * 45_000_000 for number in range(5)}
        assert refused(make_docx(**many)) == "unpacks to 225 MB, more than 200 MB"
        files = {f"f{number}": b"" for number in range(5_001)}
        assert refused(make_zip(files)) == "is an archive of more than 5000 files"

    def test_an_archive_that_lies_about_its_sizes(self) -> None:
        raw = make_docx(paragraph("x" * 100_000))
        size = len(part("document", f"<w:body>{paragraph('x' * 100_000)}</w:body>").encode())
        lying = raw.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
        assert lying != raw
        assert refused(lying).startswith("is broken: word/document.xml")

    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"", "is not a DOCX: File is not a zip file"),
            (b"no archive", "is not a DOCX: File is not a zip file"),
            (b"\xd0\xcf\x11\xe0 old", "is encrypted, or in the format of Word before 2007"),
            (make_zip({"a.txt": "x"}), "is not a DOCX: it holds no document"),
            (make_docx()[:-30], "is not a DOCX: File is not a zip file"),
        ],
    )
    def test_what_is_no_docx(self, raw: bytes, reason: str) -> None:
        assert refused(raw) == reason

    def test_broken_xml(self) -> None:
        assert refused(make_docx(word__document="<w:p")).startswith("is broken: word/document.xml")
        cut = part("document", paragraph("x"))[:-20]
        assert refused(make_docx(word__document=cut)).startswith("is broken: word/document.xml")

    def test_what_is_nested_too_deeply(self) -> None:
        deep = "<w:sdt><w:sdtContent>" * 2_000 + "</w:sdtContent></w:sdt>" * 2_000
        assert "word/document.xml" in refused(make_docx(deep))

    def test_styles_and_parts_that_are_missing_do_not_matter(self) -> None:
        raw = make_docx(paragraph("x"), {"styles": part("styles", "")})
        assert extract(raw).text == "x\n"
