"""Makes PDF and DOCX files of a few lines."""

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def paragraph(text: str, properties: str = "") -> str:
    """A paragraph of one run."""
    return f"<w:p>{properties and f'<w:pPr>{properties}</w:pPr>'}<w:r><w:t>{text}</w:t></w:r></w:p>"


def part(tag: str, inside: str) -> str:
    """A part of a DOCX, of which ``w:tag`` is the root element."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{tag} {_SPACES}>{inside}</w:{tag}>'


def make_docx(body: str = "", parts: Mapping[str, str] | None = None, **raw: str | bytes) -> bytes:
    """``parts``: more parts by the kind of their relationship (a digit behind it is left out).
    ``raw``: files of the archive as they are, their names without ``.xml`` and with ``__`` for
    ``/``.
    """
    parts = parts or {}
    links = "".join(
        f'<Relationship Id="r{kind}" Type="{_TYPES}{kind.rstrip("0123456789")}"'
        f' Target="{kind}.xml"/>'
        for kind in parts
    )
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1"'
        f' Type="{_TYPES}officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_RELATIONS}">{links}'
        '<Relationship Id="rNone" Type="x/image" Target="NULL"/></Relationships>',
        **{f"word/{kind}.xml": text for kind, text in parts.items()},
        **{name.replace("__", "/") + ".xml": content for name, content in raw.items()},
    }
    return make_zip(files)


def make_zip(files: Mapping[str, str | bytes]) -> bytes:
    """An archive."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def make_pdf(pages: list[str], catalog: str = "") -> bytes:
    """A PDF with one line of ASCII on each page; a page of an empty text is blank."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    return assemble(objects)


def assemble(objects: list[str]) -> bytes:
    """A PDF of these objects, numbered from 1; the first one is the catalog."""
    raw = b"%PDF-1.7\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(raw))
        raw += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        raw
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(raw)}\n%%EOF\n"
        ).encode()
    )
