"""How many tokens a text has, about, without any model's own tokenizer."""

import re

_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)
"""Scripts without spaces, Hangul and pictures: about one token a character."""

_PLAIN_CHARACTERS = 4.0
_OTHER_CHARACTERS = 2.0
_MESSAGE = 8
"""Tokens that a message has around its text."""


def estimate_tokens(text: str) -> int:
    """Tokens of ``text`` by its characters.

    Four ASCII characters are a token, two of other alphabets, one of scripts without spaces.
    Usual tokenizers are within a third of it on prose; on tables and code they need more.
    """
    if text.isascii():
        return _up(len(text) / _PLAIN_CHARACTERS)
    plain = len(text.encode("ascii", "ignore"))
    dense = sum(1 for _ in _DENSE.finditer(text))
    others = len(text) - plain - dense
    return _up(plain / _PLAIN_CHARACTERS + others / _OTHER_CHARACTERS + dense)


def estimate_prompt(prompt: str) -> int:
    """Tokens of a prompt with the message around it."""
    return estimate_tokens(prompt) + _MESSAGE


def _up(tokens: float) -> int:
    return int(-(-tokens // 1))
