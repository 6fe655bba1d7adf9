r"""Phrases with which answers decline, in the languages that endpoints answer in.

A phrase is a regular expression over one sentence in the form that
:mod:`ragproof.scoring.abstention` gives it: NFKC, lower case, straight apostrophes, single
spaces. ``<3>`` stands for up to three words with no comma between them. Where a script has
spaces, a phrase begins at the start of a word. ``$`` is the end of the sentence.
"""

from typing import NamedTuple


class Language(NamedTuple):
    """The phrases of one language, or of a few that share theirs.

    ``hints``: no phrase is in a text that holds none of these. ``unable``: refusals and
    inability. ``absent``: the sources or the speaker lack the information, which the rest
    of the sentence can take back ("..., but it says that").
    """

    hints: tuple[str, ...]
    unable: tuple[str, ...]
    absent: tuple[str, ...]
    spaced: bool = True
