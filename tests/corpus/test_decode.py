"""From bytes to text."""

import codecs
import contextlib
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.corpus.decode import decode
from ragproof.corpus.unreadable import UnreadableError

GERMAN = "Die Prüfung übt größere Maßstäbe für die Straße.\n" * 20
RUSSIAN = "Сначала в гимназии он не был в числе первых учеников, но и не отставал.\n" * 20
FRENCH = "Le type de visa requis pour entrer en France dépend de la durée du séjour à Évry.\n" * 20
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy, a to už týdny před českou veřejností.\n" * 20
JAPANESE = "これは日本語の文章です。文字コードを調べます。\n" * 20


class TestMarks:
    @pytest.mark.parametrize(
        ("mark", "name"),
        [
            (codecs.BOM_UTF8, "utf-8"),
            (codecs.BOM_UTF16_LE, "utf-16-le"),
            (codecs.BOM_UTF16_BE, "utf-16-be"),
            (codecs.BOM_UTF32_LE, "utf-32-le"),
            (codecs.BOM_UTF32_BE, "utf-32-be"),
        ],
    )
    def test_a_mark_decides(self, mark: bytes, name: str) -> None:
        assert decode(mark + "Grüße, 世界 🎉".encode(name)) == ("Grüße, 世界 🎉", ())

    @pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    @pytest.mark.parametrize("text", ["a plain text\nof two lines", "Größe – 5 €, “naïve” 🎉"])
    def test_wide_letters_without_a_mark(self, name: str, text: str) -> None:
        assert decode(text.encode(name)) == (text, ())

    def test_a_cut_text_with_a_mark_is_read_with_a_warning(self) -> None:
        text, warnings = decode(codecs.BOM_UTF16_LE + ("x" * 200).encode("utf-16-le") + b"y")
        assert text == "x" * 200 + "\ufffd"
        assert warnings == ("1 places that are not UTF-16-LE are shown as U+FFFD",)


class TestUtf8:
    def test_it_goes_before_what_is_declared(self) -> None:
        assert decode('<meta charset="latin-1">Grüße'.encode()).text.endswith("Grüße")

    def test_single_errors_make_no_other_character_set_of_it(self) -> None:
        text, warnings = decode(GERMAN.encode() + b"caf\xe9\n" + GERMAN.encode())
        assert text == GERMAN + "caf\ufffd\n" + GERMAN
        assert warnings == ("1 places that are not UTF-8 are shown as U+FFFD",)

    def test_a_replacement_character_in_the_text_is_no_error(self) -> None:
        assert decode("a \ufffd b".encode()) == ("a \ufffd b", ())

    def test_ends_of_lines(self) -> None:
        assert decode(b"a\r\nb\rc\n\r\n").text == "a\nb\nc\n\n"

    def test_halves_of_pairs_do_not_get_through(self) -> None:
        raw = GERMAN.encode() + "\ud83d".encode("utf-8", "surrogatepass")
        found = decode(raw)
        found.text.encode()
        assert found.warnings


class TestDeclared:
    @pytest.mark.parametrize(
        ("head", "name", "text"),
        [
            ('<?xml version="1.0" encoding="gb2312"?>', "gb18030", "镕基"),
            ("<meta http-equiv='x' content='text/html; charset=x-sjis'>", "cp932", "①髙"),
            ('<meta charset="euc-kr">', "cp949", "똠방각하"),
            ('<meta charset="iso-8859-1">', "cp1252", "“quoted” – 5 €"),
            ('<meta charset="iso-8859-15">', "iso8859-15", "5 €"),
            ("# -*- coding: koi8-r -*-", "koi8-r", "да"),
            ('<META CHARSET="windows-1255">', "cp1255", "שלום"),
        ],
    )
    def test_it_is_taken_at_its_word(self, head: str, name: str, text: str) -> None:
        assert decode(f"{head}\n{text}".encode(name)) == (f"{head}\n{text}", ())

    @pytest.mark.parametrize("name", ["rot13", "hex", "unicode_escape", "utf-7", "zip", "nonsense"])
    def test_what_is_no_character_set_is_not_tried(self, name: str) -> None:
        raw = f'<meta charset="{name}">\\u0041 +AGE- '.encode() + GERMAN.encode("cp1252")
        assert "\\u0041 +AGE- " in decode(raw).text

    @pytest.mark.parametrize(
        ("name", "text"), [("iso2022_jp", JAPANESE), ("iso2022_kr", "역사적 예수\n조선\n")]
    )
    def test_seven_bits(self, name: str, text: str) -> None:
        assert decode(text.encode(name)) == (text, ())


class TestGuessed:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("cp1252", GERMAN),
            ("latin-1", FRENCH),
            ("cp1250", CZECH),
            ("iso8859-2", CZECH),
            ("cp1251", RUSSIAN),
            ("koi8-r", RUSSIAN),
            ("cp932", JAPANESE),
            ("euc-jp", JAPANESE),
            ("cp1252", "it’s"),
            ("latin-1", "Café"),
        ],
    )
    def test_the_text_is_right_and_the_guess_is_told(self, name: str, text: str) -> None:
        found = decode(text.encode(name))
        assert found.text == text
        assert len(found.warnings) == 1
        assert "which is a guess" in found.warnings[0]

    def test_the_library_is_not_imported_for_what_is_utf8(self) -> None:
        import subprocess

        code = (
            "import sys; from ragproof.corpus.decode import decode; decode('é'.encode());"
            " sys.exit('charset_normalizer' in sys.modules)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestBinary:
    @pytest.mark.parametrize(
        "raw",
        [
            bytes(range(256)),
            b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe",
            b"\x00\x01\x02\x03",
            b"ab\x01\x02\x03\x04",
            b"text\0with \xff",
        ],
    )
    def test_it_is_refused(self, raw: bytes) -> None:
        with pytest.raises(UnreadableError, match="is binary: it is not text"):
            decode(raw)

    def test_zeros_in_a_text_are_left_out_with_a_warning(self) -> None:
        assert decode(b"\0\0a\0b\0") == ("ab", ("4 bytes that are zero are left out",))
        text, warnings = decode(codecs.BOM_UTF8 + "a\0é".encode())
        assert (text, warnings) == ("aé", ("1 characters U+0000 are left out",))


class TestHard:
    @given(st.binary(max_size=300))
    def test_whatever_the_bytes(self, raw: bytes) -> None:
        try:
            found = decode(raw)
        except UnreadableError:
            return
        found.text.encode()
        assert "\0" not in found.text
        assert "\r" not in found.text

    @given(st.text())
    def test_utf8_comes_back(self, text: str) -> None:
        plain = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
        try:
            found = decode(text.encode()).text
        except UnreadableError:
            return
        if not text.startswith("\ufeff") and "\0" not in text and "\x1b" not in text:
            assert found == plain

    @pytest.mark.parametrize(
        "unit",
        [b"\xe9", b"<meta ", b"<?xml ", b"\x1b$", b"\x81", b"a\xe9 ", b"coding:", b"\xff\xfe"],
    )
    def test_large_files_take_seconds(self, unit: bytes) -> None:
        raw = (unit * (5_000_000 // len(unit))) + b"\xe9"
        before = time.process_time()
        with contextlib.suppress(UnreadableError):
            decode(raw)
        assert time.process_time() - before < 20
