"""The text of a PDF, a page at a time, by PDFium: drawn text and the invisible text layer of a scan alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from synops.tools.documents.formats import PDF
from synops.tools.documents.pages import Reading, bounded
from synops.tools.failures import BadInput

if TYPE_CHECKING:
    import pypdfium2

    from synops.tools.documents.reader import Progress

# Of FPDF_GetLastError: a password is missing, and a protection that PDFium does not know.
_ENCRYPTED = (4, 5)


def read(path: Path, progress: Progress) -> Reading:
    """All pages. Raises BadInput when the file is damaged or needs a password."""
    document = _open(path)
    try:
        unreadable: list[int] = []
        pages, _cut = bounded(_pages(document, unreadable, progress))
        if len(unreadable) == len(document):
            raise BadInput("the PDF is damaged: not one of its pages can be read")
        return Reading(PDF, pages, _properties(document), _warnings(unreadable))
    finally:
        document.close()


def _open(path: Path) -> pypdfium2.PdfDocument:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code in _ENCRYPTED:
            raise BadInput("the PDF is encrypted and can't be opened without its password") from error
        raise BadInput(f"the PDF is damaged: {error}") from error
    if len(document) == 0:
        document.close()
        raise BadInput("the PDF is damaged: it has no pages")
    return document


def _pages(document: pypdfium2.PdfDocument, unreadable: list[int], progress: Progress) -> Iterator[str]:
    import pypdfium2

    for number in range(len(document)):
        progress(number / len(document))
        try:
            page = document[number]
            text = page.get_textpage()
            yield text.get_text_bounded()
            # Closed at once: a document of many pages would otherwise keep all of them in memory.
            text.close()
            page.close()
        except pypdfium2.PdfiumError:
            unreadable.append(number + 1)
            yield ""


def _properties(document: pypdfium2.PdfDocument) -> dict[str, str]:
    named = {"title": "Title", "author": "Author"}
    found = {key: document.get_metadata_value(name).strip() for key, name in named.items()}
    return {key: value for key, value in found.items() if value}


def _warnings(unreadable: list[int]) -> tuple[str, ...]:
    if not unreadable:
        return ()
    shown = ", ".join(map(str, unreadable[:10])) + (" …" if len(unreadable) > 10 else "")
    return (f"{len(unreadable)} damaged pages were skipped: {shown}",)
