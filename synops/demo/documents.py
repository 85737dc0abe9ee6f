"""Makes small documents from plain text: PDF, DOCX, HTML and e-mail, the same bytes every time. For the demo's cases."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape as escape_html
from typing import Any
from xml.sax.saxutils import escape as escape_xml

_A4 = (595, 842)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)

_CONTENT_TYPES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(text: str) -> bytes:
    """A PDF with the text in Helvetica; a form feed begins a new page."""
    import pypdfium2
    import pypdfium2.raw as raw

    document = pypdfium2.PdfDocument.new()
    font = raw.FPDFText_LoadStandardFont(document, b"Helvetica")
    for page in text.split("\f"):
        _page(document, font, page.splitlines())
    written = io.BytesIO()
    document.save(written)
    document.close()
    return written.getvalue()


def _page(document: Any, font: Any, lines: Sequence[str]) -> None:
    import ctypes

    import pypdfium2.raw as raw

    page = document.new_page(*_A4)
    for number, line in enumerate(lines):
        text = raw.FPDFPageObj_CreateTextObj(document, font, 11.0)
        letters = ctypes.create_string_buffer((line + "\0").encode("utf-16-le"))
        raw.FPDFText_SetText(text, ctypes.cast(letters, ctypes.POINTER(ctypes.c_ushort)))
        raw.FPDFPageObj_Transform(text, 1, 0, 0, 1, 60, _A4[1] - 60 - 16 * number)
        raw.FPDFPage_InsertObject(page, text)
    page.gen_content()
    page.close()


def picture_pdf() -> bytes:
    """A PDF with a page that is a picture, as a scanner without text recognition makes it: no text at all."""
    import pypdfium2
    import pypdfium2.raw as raw

    document = pypdfium2.PdfDocument.new()
    page = document.new_page(*_A4)
    box = raw.FPDFPageObj_CreateNewRect(60, 60, 400, 700)
    raw.FPDFPageObj_SetFillColor(box, 200, 200, 200, 255)
    raw.FPDFPath_SetDrawMode(box, raw.FPDF_FILLMODE_ALTERNATE, 0)
    raw.FPDFPage_InsertObject(page, box)
    page.gen_content()
    written = io.BytesIO()
    document.save(written)
    document.close()
    return written.getvalue()


def docx(text: str, table: Sequence[tuple[str, str]] = ()) -> bytes:
    """A Word document: a paragraph for each line, and a table of two columns behind them."""
    paragraphs = "".join(_paragraph(line) for line in text.splitlines())
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{_paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in table)
    body = paragraphs + (f"<w:tbl>{rows}</w:tbl>" if rows else "")
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    )
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (
            ("[Content_Types].xml", _CONTENT_TYPES),
            ("_rels/.rels", _RELATIONS),
            ("word/document.xml", document),
        ):
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _paragraph(line: str) -> str:
    return f'<w:p><w:r><w:t xml:space="preserve">{escape_xml(line)}</w:t></w:r></w:p>'


def html(title: str, text: str, table: Sequence[tuple[str, str]] = ()) -> bytes:
    """A web page: a paragraph for each line, and a table of two columns behind them."""
    paragraphs = "\n".join(f"<p>{escape_html(line)}</p>" for line in text.splitlines() if line)
    rows = "".join(f"<tr><th>{escape_html(name)}</th><td>{escape_html(value)}</td></tr>\n" for name, value in table)
    page = (
        f'<!doctype html>\n<html lang="nb"><head><meta charset="utf-8"><title>{escape_html(title)}</title></head>\n'
        f"<body><h1>{escape_html(title)}</h1>\n{paragraphs}\n<table>{rows}</table>\n</body></html>\n"
    )
    return page.encode()


def mail(sender: str, subject: str, date: str, text: str, attachment: tuple[str, bytes] | None = None) -> bytes:
    """An e-mail of a day (ISO 8601), perhaps with something attached."""
    from datetime import UTC, datetime

    message = EmailMessage()
    message["From"] = sender
    message["To"] = "Saksbehandling <post@example.no>"
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.fromisoformat(date).replace(hour=9, tzinfo=UTC))
    message.set_content(text)
    if attachment:
        message.add_attachment(attachment[1], maintype="application", subtype="pdf", filename=attachment[0])
        message.set_boundary("synops-demo")  # the library's own is random
    return message.as_bytes()
