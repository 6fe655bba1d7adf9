"""Keeping secrets out of everything that leaves: logs, reports, saved responses."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

MASK = "***"
MIN_LENGTH = 4
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"'\\/bfnrt]))")
# What the forms do not cover already: they hold the plain escapes of a JSON text.
_ODD_ESCAPE = re.compile(r"\\[ux/'\\]")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_ENTITY = re.compile(r"&(?:#|amp|lt|gt|quot|apos)")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LAYERS = 2


def derived_forms(secret: str) -> list[str]:
    """The secret and the forms in which an echo could carry it, longest first.

    Raw, line by line, base64 (standard and URL-safe, at each of the three alignments
    within a longer text), percent-encoded, JSON-escaped, HTML-escaped, and UTF-8 read
    as Latin-1.
    """
    import html  # noqa: PLC0415 - most runs have no secret
    import json  # noqa: PLC0415
    from urllib.parse import quote, quote_plus  # noqa: PLC0415

    forms = {secret, *(line.strip() for line in secret.splitlines())}
    for text in list(forms):
        forms |= _base64_forms(text.encode("utf-8"))
        forms |= {quote(text, safe=""), quote(text), quote(text, safe="!'()*"), quote_plus(text)}
        forms |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        forms |= {html.escape(text), text.replace(" ", "+")}
        forms.add(text.encode("utf-8").decode("latin-1"))
    forms |= {form.replace("%", "%25") for form in forms if "%" in form}
    forms |= {_lower_percent(form) for form in forms if "%" in form}
    return sorted((form for form in forms if len(form) >= MIN_LENGTH), key=lambda f: (-len(f), f))


def _base64_forms(raw: bytes) -> set[str]:
    import base64  # noqa: PLC0415

    forms = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    forms |= {form.rstrip("=") for form in forms}
    for shift in range(3):
        padded = b"\0" * shift + raw
        whole = len(padded) // 3 * 3
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # The first characters still hold bits of what stands before the secret.
            forms.add(encode(padded[:whole]).decode()[4 if shift else 0 :])
    return {form for form in forms if len(form) >= MIN_LENGTH + 2}


def _lower_percent(text: str) -> str:
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


class Redactor:
    """Replaces every form of the given secrets by ``***``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in derived_forms(secret)}
        self.forms = sorted(forms, key=lambda form: (-len(form), form))
        self._bytes = [form.encode("utf-8") for form in self.forms]

    def text(self, text: str) -> str:
        """``text`` with no secret left in it.

        Where escapes hide one, they are undone first.
        """
        clean = self._replaced(text)
        while (plainer := next(self._hidden(clean), None)) is not None:
            clean = self._replaced(plainer)
        return clean

    def raw(self, data: bytes) -> bytes:
        """``data`` (UTF-8) without the forms; what other escapes :meth:`hides` stays."""
        for form in self._bytes:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data

    def hides(self, text: str) -> bool:
        """Whether a secret stands in ``text``, also spelt with escapes of any kind."""
        return next(self._hidden(text), None) is not None

    def value(self, value: Any) -> Any:
        """A parsed JSON value with no secret left in its strings, keys and numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            return MASK if self._holds(repr(value)) else value
        return value

    def _replaced(self, text: str) -> str:
        for form in self.forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def _holds(self, text: str) -> bool:
        return any(form in text for form in self.forms)

    def _hidden(self, text: str) -> Iterator[str]:
        """``text`` and its spellings with fewer escapes, those that hold a form."""
        if not self.forms:
            return
        if self._holds(text):
            yield text
        for plainer in _spellings(text):
            if self._holds(plainer):
                yield plainer


def _spellings(text: str) -> Iterator[str]:
    """``text`` with the escapes of JSON, URLs and HTML undone one after the other."""
    from html import unescape  # noqa: PLC0415
    from urllib.parse import unquote  # noqa: PLC0415

    for _ in range(_LAYERS):
        for found, undo in ((_ODD_ESCAPE, _unescaped), (_PERCENT, unquote), (_ENTITY, unescape)):
            if found.search(text) and (plainer := undo(text)) != text:
                text = plainer
                yield text


def _unescaped(text: str) -> str:
    plain = _ESCAPE.sub(_character, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _SHORT.get(escape[3], escape[3])
