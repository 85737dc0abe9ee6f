"""One document in, its text out: the format is told by the bytes, never by the name, and each has its reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from synops.tools.documents.formats import DOCX, EMAIL, HTML, PDF, PLAIN, detect
from synops.tools.documents.pages import MOST_CHARACTERS, Reading
from synops.tools.failures import BadInput

Progress: TypeAlias = Callable[[float], None]
"""Called with how far the reading is, from 0 to 1."""


def read(path: Path, progress: Progress = lambda _fraction: None) -> Reading:
    """The text of the document at `path`. Raises BadInput: empty, damaged, encrypted, no text, or no known format."""
    media_type = detect(path)
    reading = _reader(media_type)(path, progress)
    if not any(page.strip() for page in reading.pages):
        raise BadInput(_no_text(reading))
    if reading.characters >= MOST_CHARACTERS:
        note = f"the document is longer than {MOST_CHARACTERS:,} characters; the rest was left out"
        return Reading(media_type, reading.pages, reading.properties, (*reading.warnings, note))
    return reading


def _reader(media_type: str) -> Callable[[Path, Progress], Reading]:
    """Imported when it is needed: a PDF library is no business of an e-mail."""
    if media_type == PDF:
        from synops.tools.documents import pdf

        return pdf.read
    if media_type == DOCX:
        from synops.tools.documents import docx

        return docx.read
    if media_type == HTML:
        from synops.tools.documents import html

        return html.read
    if media_type == EMAIL:
        from synops.tools.documents import mail

        return mail.read
    if media_type == PLAIN:
        from synops.tools.documents import plain

        return plain.read
    raise BadInput(_unreadable(media_type))


def _no_text(reading: Reading) -> str:
    if reading.media_type == PDF:
        return (
            f"no text: the PDF has nothing but pictures on its pages (there are {len(reading.pages)}); "
            "run text recognition (OCR) on it and hand in the result"
        )
    return f"no text: the {reading.media_type} document holds none"


def _unreadable(media_type: str) -> str:
    if media_type.startswith("image/"):
        return f"no text: the document is a picture ({media_type}); hand in a PDF with a text layer instead"
    return f"documents of type {media_type} are not read; hand in PDF, DOCX, HTML, plain text or an e-mail (.eml)"
