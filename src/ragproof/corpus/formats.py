"""Which format a file has, by its name and its first bytes."""

from ragproof.corpus.unreadable import UnreadableError

_SUFFIXES: dict[str, str] = {
    "text": "txt text log srt vtt csv tsv eml po pot",
    "markdown": "md markdown mdown mkd mkdn mdx qmd rmd",
    "rst": "rst rest",
    "html": "html htm xhtml xht shtml",
    "pdf": "pdf",
    "docx": "docx",
    "code": (
        "ada adb ads asm awk bash bat bib bzl c cc cfg cjs clj cljs cmake cmd conf cpp cr cs"
        " css cts cue cxx d dart diff el elm env erl ex exs f f90 fish fs fsx gd go gradle graphql"
        " groovy h hcl hh hpp hrl hs hxx idl inc ini ipynb java jinja jl js json json5 jsonl jsx kt"
        " kts less lisp lua m mjs mk ml mli mm mts ndjson nim nix pas patch php pl pm proto ps1"
        " psm1 properties pxd py pyi pyx r rb rkt rs s sass scala scm scss sh sol sql sv swift"
        " tcl tex tf toml ts tsx v vb vhd vue xml xsd xsl xslt yaml yml zig zsh"
    ),
    "picture": "apng avif bmp eps gif heic heif ico jfif jpe jpeg jpg jp2 jxl png psd svg tif tiff"
    " webp",
    "other": (
        "7z a aac ai apk avi bin bz2 class db deb dll dmg doc docm dot dotx dylib epub exe flac"
        " gz iso jar key lib lz4 m4a m4v mkv mobi mov mp3 mp4 mpeg mpg msi numbers o obj odp ods"
        " odt ogg otf pages parquet pickle pkl ppt pptx pyc pyd pyo rar rpm rtf so sqlite sqlite3"
        " tar tgz ttf war wasm wav webm whl wma wmv woff woff2 xls xlsb xlsm xlsx xz zip zst"
    ),
}
_BY_SUFFIX = {suffix: name for name, all_ in _SUFFIXES.items() for suffix in all_.split()}
_CODE_NAMES = frozenset({"makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile"})
_SIGNATURES = (
    (b"%PDF-", "pdf", "PDF"),
    (b"\x89PNG\r\n", "picture", "PNG"),
    (b"\xff\xd8\xff", "picture", "JPEG"),
    (b"GIF8", "picture", "GIF"),
    (b"PK\x03\x04", "other", "ZIP"),
    (b"\x1f\x8b", "other", "gzip"),
    (b"\x7fELF", "other", "ELF"),
    (b"\xd0\xcf\x11\xe0", "other", "OLE"),
    (b"{\\rtf", "other", "RTF"),
)
_OWN_WAY = frozenset({"pdf", "docx"})


def suffix_of(name: str) -> str:
    """The part of a name behind its last dot, in small letters; empty where there is none."""
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def format_by_name(name: str) -> str:
    """One of :data:`ragproof.corpus.records.FORMATS`; what is not known counts as text.

    Raises:
        UnreadableError: a file of this name is of a format that is not read.
    """
    suffix = suffix_of(name)
    if name.lower() in _CODE_NAMES:
        return "code"
    return _readable(_BY_SUFFIX.get(suffix, "text"), f".{suffix}")


def format_of(name: str, raw: bytes) -> str:
    """The format of a file, where its first bytes tell it better than its name.

    Raises:
        UnreadableError: the format is not read.
    """
    named = format_by_name(name)
    if named in _OWN_WAY:
        return named
    for signature, found, shown in _SIGNATURES:
        if raw.startswith(signature):
            return _readable(found, f"{shown}, as its first bytes tell")
    return named


def _readable(found: str, shown: str) -> str:
    if found == "picture":
        raise UnreadableError("is a picture; what is written in pictures is not read (no OCR)")
    if found == "other":
        raise UnreadableError(f"is of the format {shown}, which is not read")
    return found
