"""Keeping secrets out of everything that leaves: logs, reports, saved responses."""

from collections.abc import Iterable

MASK = "***"
MIN_LENGTH = 4


def derived_forms(secret: str) -> list[str]:
    """The secret and the forms in which an echo could carry it, longest first.

    Raw, line by line, base64 (standard and URL-safe, at each of the three alignments
    within a longer text), percent-encoded, JSON-escaped and HTML-escaped.
    """
    import html  # noqa: PLC0415 - most runs have no secret
    import json  # noqa: PLC0415
    from urllib.parse import quote, quote_plus  # noqa: PLC0415

    forms = {secret, *(line.strip() for line in secret.splitlines())}
    for text in list(forms):
        forms |= _base64_forms(text.encode("utf-8"))
        forms |= {quote(text, safe=""), quote(text), quote_plus(text)}
        forms |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        forms.add(html.escape(text))
    forms |= {form.replace("%", "%25") for form in forms if "%" in form}
    forms |= {_lower_percent(form) for form in forms if "%" in form}
    return sorted((form for form in forms if len(form) >= MIN_LENGTH), key=lambda f: (-len(f), f))


def _base64_forms(raw: bytes) -> set[str]:
    import base64  # noqa: PLC0415

    forms = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    for shift in range(3):
        padded = b"\0" * shift + raw
        whole = len(padded) // 3 * 3
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            # The first characters still hold bits of what stands before the secret.
            forms.add(encode(padded[:whole]).decode()[4 if shift else 0 :])
    return {form for form in forms if len(form) >= 2 * MIN_LENGTH}


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
        """``text`` with no secret left in it."""
        for form in self.forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def raw(self, data: bytes) -> bytes:
        """``data`` (UTF-8) with no secret left in it."""
        for form in self._bytes:
            if form in data:
                data = data.replace(form, MASK.encode())
        return data
