"""Where a text may be cut: never within what readers see as one character.

The tables are written out and asked of nobody: the same text is cut at the same places on
every Python. They hold more than Unicode's own rules keep together, such as all consonants
that a virama ties, and unassigned code points between marks, which can only become marks.
"""

from bisect import bisect_right

_LONGEST_CLUSTER = 32
"""Characters that :func:`boundary` keeps together at most: a heap of accents has no end."""

_MARKS_AFTER_VIRAMA = 8
"""Marks that are looked behind for a virama."""


def boundary(text: str, limit: int) -> int:
    """The last place up to ``limit`` at which ``text`` may be cut; ``limit`` is within it."""
    for end in range(limit, max(limit - _LONGEST_CLUSTER, 0), -1):
        if not joined(text, end):
            return end
    return limit


def joined(text: str, at: int, since: int = 0) -> bool:
    """Whether the characters on both sides of a place are seen as one.

    ``at`` lies within the text. ``since`` is an earlier place where they are not, if one is
    known: a row of flags need not be counted from before it.
    """
    if not since < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return before == "\r" and after == "\n"
    if _is_control(before) or _is_control(after):
        return False
    if "\u200d" in (before, after) or _EXTENDING.holds(after) or _PREPENDED.holds(before):
        return True
    if after >= "\u0900" and _is_tied(text, at):
        return True
    if _is_flag(before) and _is_flag(after):
        run = at
        while run > since and _is_flag(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 1
    return _is_one_syllable(before, after)


def _is_tied(text: str, at: int) -> bool:
    """Whether a virama precedes, if need be before a few other marks."""
    for before in range(at - 1, max(at - 1 - _MARKS_AFTER_VIRAMA, -1), -1):
        if _VIRAMAS.holds(text[before]):
            return True
        if not _EXTENDING.holds(text[before]):
            return False
    return False


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029"


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_one_syllable(before: str, after: str) -> bool:
    """Hangul: leading consonants join what follows, vowels and finals what precedes."""
    syllable = "\uac00" <= after <= "\ud7a3"
    leading = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    follows = "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb"
    if leading:
        return syllable or follows or "\u1100" <= after <= "\u115f" or "\ua960" <= after <= "\ua97c"
    return follows and ("\u1160" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7fb")


class _Ranges:
    """A set of characters, written as ranges of hexadecimal code points in order."""

    def __init__(self, written: str) -> None:
        edges: list[int] = []
        for one in written.split():
            first, _, last = one.partition("-")
            edges += [int(first, 16), int(last or first, 16) + 1]
        self._edges = edges

    def holds(self, char: str) -> bool:
        return char >= "\u0300" and bisect_right(self._edges, ord(char)) % 2 == 1


# Combining marks of Unicode 15.1, what else extends a character (the non-joiner, the vowels
# am of Thai and Lao, half-width voicing marks), skin tones, and tags (the flag of Wales).
_EXTENDING = _Ranges(
    """
    300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8
    6ea-6ed 711 730-74a 7a6-7b0 7eb-7f3 7fd 816-819 81b-823 825-827 829-82d 859-85b 898-89f
    8ca-8e1 8e3-903 93a-93c 93e-94f 951-957 962-963 981-983 9bc 9be-9cd 9d7 9e2-9e3 9fe-a03
    a3c-a51 a70-a71 a75 a81-a83 abc abe-acd ae2-ae3 afa-b03 b3c b3e-b57 b62-b63 b82 bbe-bcd bd7
    c00-c04 c3c c3e-c56 c62-c63 c81-c83 cbc cbe-cd6 ce2-ce3 cf3-d03 d3b-d3c d3e-d4d d57 d62-d63
    d81-d83 dca-ddf df2-df3 e31 e33-e3a e47-e4e eb1 eb3-ebc ec8-ece f18-f19 f35 f37 f39 f3e-f3f
    f71-f84 f86-f87 f8d-fbc fc6 102b-103e 1056-1059 105e-1060 1062-1064 1067-106d 1071-1074
    1082-108d 108f 109a-109d 135d-135f 1712-1715 1732-1734 1752-1753 1772-1773 17b4-17d3 17dd
    180b-180d 180f 1885-1886 18a9 1920-193b 1a17-1a1b 1a55-1a7f 1ab0-1b04 1b34-1b44 1b6b-1b73
    1b80-1b82 1ba1-1bad 1be6-1bf3 1c24-1c37 1cd0-1cd2 1cd4-1ce8 1ced 1cf4 1cf7-1cf9 1dc0-1dff
    200c 20d0-20f0 2cef-2cf1 2d7f 2de0-2dff 302a-302f 3099-309a a66f-a672 a674-a67d a69e-a69f
    a6f0-a6f1 a802 a806 a80b a823-a827 a82c a880-a881 a8b4-a8c5 a8e0-a8f1 a8ff a926-a92d
    a947-a953 a980-a983 a9b3-a9c0 a9e5 aa29-aa36 aa43 aa4c-aa4d aa7b-aa7d aab0 aab2-aab4
    aab7-aab8 aabe-aabf aac1 aaeb-aaef aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f fe20-fe2f
    ff9e-ff9f 101fd 102e0 10376-1037a 10a01-10a0f 10a38-10a3f 10ae5-10ae6 10d24-10d27
    10eab-10eac 10efd-10eff 10f46-10f50 10f82-10f85 11000-11002 11038-11046 11070 11073-11074
    1107f-11082 110b0-110ba 110c2 11100-11102 11127-11134 11145-11146 11173 11180-11182
    111b3-111c0 111c9-111cc 111ce-111cf 1122c-11237 1123e 11241 112df-112ea 11300-11303
    1133b-1133c 1133e-1134d 11357 11362-11374 11435-11446 1145e 114b0-114c3 115af-115c0
    115dc-115dd 11630-11640 116ab-116b7 1171d-1172b 1182c-1183a 11930-1193e 11940 11942-11943
    119d1-119e0 119e4 11a01-11a0a 11a33-11a39 11a3b-11a3e 11a47 11a51-11a5b 11a8a-11a99
    11c2f-11c3f 11c92-11cb6 11d31-11d45 11d47 11d8a-11d97 11ef3-11ef6 11f00-11f01 11f03
    11f34-11f42 13440 13447-13455 16af0-16af4 16b30-16b36 16f4f 16f51-16f92 16fe4-16ff1
    1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad
    1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1daaf 1e000-1e02a 1e08f 1e130-1e136
    1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e8d0-1e8d6 1e944-1e94a 1f3fb-1f3ff e0020-e01ef
    """
)

# Marks that tie two consonants of an Indic script together (combining class 9).
_VIRAMAS = _Ranges(
    """
    94d 9cd a4d acd b4d bcd c4d ccd d3b-d3c d4d dca e3a eba f84 1039-103a 1714-1715 1734 17d2
    1a60 1b44 1baa-1bab 1bf2-1bf3 2d7f a806 a82c a8c4 a953 a9c0 aaf6 abed 10a3f 11046 11070
    1107f 110b9 11133-11134 111c0 11235 112ea 1134d 11442 114c2 115bf 1163f 116b6 1172b 11839
    1193d-1193e 119e0 11a34 11a47 11a99 11c3f 11d44-11d45 11d97 11f41-11f42
    """
)

# Signs that are drawn around what follows.
_PREPENDED = _Ranges(
    """
    600-605 6dd 70f 890-891 8e2 d4e 110bd 110cd 111c2-111c3 1193f 11941 11a3a 11a84-11a89 11d46
    11f02
    """
)
