"""No form of a secret survives."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.redact import MASK, MIN_LENGTH, Redactor, derived_forms

SECRETS = [
    "hunter2hunter2",
    "a b/c+d=e&f?g",
    "quote\"and'apostrophe\\backslash",
    "pass%word%2Fx",
    "naïve-ключ-密钥",
    "<script>&amp;",
    "tilde~bang!star*(paren)",
    "first line\nsecond line\n",
    "-----BEGIN KEY-----\r\nMIIBVgIBADANBgkqhkiG\r\n-----END KEY-----",
    "sk-proj-AbCdEf0123456789_-",
    "line\u2028separator",
    "  padded  ",
]


def _js_component(text: str) -> str:
    return quote(text, safe="!'()*")


def _php(text: str) -> str:
    return json.dumps(text)[1:-1].replace("/", "\\/")


def _go(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    for char in "<>&\u2028\u2029":
        escaped = escaped.replace(char, f"\\u{ord(char):04x}")
    return escaped


def _dotnet(text: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
    units = [
        text.encode("utf-16-be")[at : at + 2].hex().upper()
        for at in range(0, 2 * len(text.encode("utf-16-be")) // 2, 2)
    ]
    return "".join(
        short.get(char) or (f"\\u{unit}" if int(unit, 16) > 126 or char in "\"'<>&+`" else char)
        for unit in units
        for char in [chr(int(unit, 16))]
    )


def _jinja(text: str) -> str:
    return html.escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


ECHOES: dict[str, Callable[[str], str]] = {
    "raw": lambda s: s,
    "stripped": lambda s: s.strip(),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 without padding": lambda s: base64.b64encode(s.encode()).decode().rstrip("="),
    "base64 for URLs": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "percent": lambda s: quote(s, safe=""),
    "percent, slashes kept": quote,
    "percent, lower case": lambda s: quote(s, safe="").replace("%2F", "%2f").replace("%3D", "%3d"),
    "form": quote_plus,
    "query": lambda s: urlencode({"a": s})[2:],
    "encodeURIComponent": _js_component,
    "encodeURI": lambda s: quote(s, safe=";,/?:@&=+$!~*'()#-_."),
    "percent twice": lambda s: quote(quote(s, safe=""), safe=""),
    "JSON": lambda s: json.dumps(s)[1:-1],
    "JSON in UTF-8": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "JSON of PHP": _php,
    "JSON of Go": _go,
    "JSON of .NET": _dotnet,
    "JSON in JSON": lambda s: json.dumps(json.dumps(s))[1:-1],
    "HTML": html.escape,
    "HTML of Go and Jinja": _jinja,
    "HTML without quotes": lambda s: html.escape(s, quote=False),
    "repr": lambda s: repr(s)[1:-1],
    "UTF-8 read as Latin-1": lambda s: s.encode().decode("latin-1"),
}


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("secret", SECRETS)
def test_every_echo_is_masked(secret: str, echo: str) -> None:
    spelt = ECHOES[echo](secret)
    redactor = Redactor([secret])
    for text in (spelt, f"before {spelt} after", f"{spelt}{spelt}"):
        clean = redactor.text(text)
        assert spelt not in clean
        assert MASK in clean
        assert _left_over(spelt, clean) == ""
    assert redactor.hides(f"<{spelt}>")
    for form in redactor.forms:
        assert form.encode() not in redactor.raw(f"<{form}>".encode())


def _left_over(spelt: str, clean: str) -> str:
    """Any long piece of what was echoed that is still there."""
    size = 12
    pieces = (spelt[at : at + size] for at in range(len(spelt) - size + 1))
    return next((piece for piece in pieces if piece in clean), "")


@given(st.text(max_size=12), st.sampled_from(SECRETS), st.text(max_size=12))
def test_base64_of_a_longer_text_is_masked(before: str, secret: str, after: str) -> None:
    raw = (before + secret + after).encode("utf-8", "replace")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        clean = Redactor([secret]).text(encode(raw).decode())
        assert MASK in clean


@given(st.lists(st.text(min_size=MIN_LENGTH, max_size=20).filter(str.strip), max_size=3), st.text())
def test_redaction_is_complete_and_stable(secrets: list[str], text: str) -> None:
    secrets = [secret.encode("utf-8", "replace").decode() for secret in secrets]
    text = text.encode("utf-8", "replace").decode()
    redactor = Redactor(secrets)
    for mixed in (text, text.join(secrets), text + "".join(secrets)):
        clean = redactor.text(mixed)
        assert not redactor.hides(clean)
        assert not any(form in clean for form in redactor.forms)
        assert redactor.text(clean) == clean


def test_without_secrets_nothing_changes() -> None:
    redactor = Redactor()
    assert redactor.forms == []
    assert redactor.text("text") == "text"
    assert redactor.raw(b"\xff") == b"\xff"


def test_text_without_a_secret_is_left_alone() -> None:
    text = 'An answer with "quotes", %20, YWJj and \\n escapes.'
    assert Redactor(SECRETS).text(text) == text


def test_forms_are_long_enough_not_to_mask_ordinary_text() -> None:
    for secret in [*SECRETS, "abcd", "a\nb\nabcd"]:
        assert all(len(form) >= MIN_LENGTH for form in derived_forms(secret))


def test_longest_forms_go_first() -> None:
    assert Redactor(["secret", "secretsecret"]).text("secretsecret!") == f"{MASK}!"


def test_a_parsed_value_is_masked_within_its_strings_and_keys() -> None:
    value = {"a": ["x hunter2hunter2 y", 1, None, True], "hunter2hunter2": {"b": 1.5}}
    assert Redactor(["hunter2hunter2"]).value(value) == {
        "a": [f"x {MASK} y", 1, None, True],
        MASK: {"b": 1.5},
    }


def test_a_number_that_spells_a_secret_is_masked() -> None:
    redactor = Redactor(["123456789012"])
    assert redactor.value({"account": 123456789012, "n": 12}) == {"account": MASK, "n": 12}
