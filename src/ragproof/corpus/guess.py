"""Guessing the character set of a text that is not UTF-8 and does not say what it is."""

import re

_SAMPLE_BYTES = 64_000
_BEFORE = 1_000
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_LETTERS_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_NEVER = [
    *("cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140"),  # EBCDIC
    *("cp1006", "hp_roman8", "johab", "shift_jis_2004", "shift_jisx0213"),
    *("utf_7", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le"),
]
"""Not met in files of our day, or looked for before; short texts can look like any of them."""
_LATIN = re.compile(
    r"cp(437|775|85[0278]|86[0135]|125[02478])|iso8859_(?!5|6|7|8|11)|latin|mac_(?!c|g)"
)
_ALONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_MOSTLY_ALONE = 0.45
_CAPITAL_OF_WINDOWS = re.compile(rb"[\xc0-\xdf][\xe0-\xff]")
_AS_MESSY, _AS_LIKELY = 0.01, 0.06


def guess_character_sets(raw: bytes) -> list[str]:
    """Names of codecs, the best guess first; empty where nothing fits."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - seldom needed

    sample = _sample(raw)
    found = from_bytes(sample, cp_exclusion=_NEVER)
    names = [match.encoding for match in found]
    if _seems_latin(sample):
        names = [*filter(_LATIN.match, names), "cp1252"]
    if not names:
        return []
    best = next((match for match in found if match.encoding == names[0]), None)
    if best is None:
        return names
    near = {
        match.encoding
        for match in found
        if match.chaos <= best.chaos + _AS_MESSY and match.coherence >= best.coherence - _AS_LIKELY
    }
    return list(dict.fromkeys([_commoner(names[0], near, raw), *names]))


def _sample(raw: bytes) -> bytes:
    """Whole lines around the first bytes that tell something."""
    match = _BEYOND_ASCII.search(raw)
    first = max(0, match.start() - _BEFORE) if match else 0
    start = raw.rfind(b"\n", 0, first) + 1
    if start < first - _SAMPLE_BYTES:
        start = first
    end = start + _SAMPLE_BYTES
    if end >= len(raw):
        return raw[start:]
    return raw[start : raw.rfind(b"\n", start, end) + 1 or end]


def _seems_latin(sample: bytes) -> bool:
    """Whether what is beyond ASCII are single letters between others, not words."""
    beyond = len(_BEYOND_ASCII.findall(sample))
    return len(_ALONE.findall(sample)) > beyond * _MOSTLY_ALONE


def _commoner(best: str, near: set[str], raw: bytes) -> str:
    """Of sets that fit about as well, the one that far more texts are written in.

    Frequencies of letters hardly tell Western from Central European sets, where they differ
    in letters that seldom occur.
    """
    if best in {"cp1250", "cp1257", "cp1258", "cp775", "iso8859_10"} and "cp1252" in near:
        best = "cp1252"
    # The Macintosh has signs where Windows has capital letters, and the small ones in common.
    if best == "mac_cyrillic" and "cp1251" in near and _CAPITAL_OF_WINDOWS.search(raw):
        best = "cp1251"
    # Whoever writes Central European texts on Windows uses its letters between 0x80 and 0x9F.
    if best == "cp1250" and "iso8859_2" in near and not _LETTERS_OF_WINDOWS.search(raw):
        best = "iso8859_2"
    return best
