"""The text of a Word document, straight from its XML and piece by piece.

Not python-docx: it reads every part into memory, and a document of 200 MB is 199 MB of photographs.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from synops.tools.documents.formats import DOCX, DOCX_BODY
from synops.tools.documents.pages import Reading, bounded
from synops.tools.failures import BadInput

if TYPE_CHECKING:
    from synops.tools.documents.reader import Progress

MOST_XML_BYTES = 256 * 1024 * 1024
"""What a part may unpack to; a “zip bomb” of a few kilobytes unpacks to gigabytes."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Headers first: they often hold the sender and the case number.
_PARTS = (r"word/header\d*\.xml", re.escape(DOCX_BODY), r"word/(foot|end)notes\.xml", r"word/footer\d*\.xml")
_ENCRYPTED_FLAG = 0x1


def read(path: Path, progress: Progress) -> Reading:
    """Headers, body, notes and footers as one page: a Word document has no pages until it is printed."""
    from lxml.etree import XMLSyntaxError

    try:
        with zipfile.ZipFile(path) as archive:
            pages, _cut = bounded(["".join(_text(archive, progress))])
    except (zipfile.BadZipFile, XMLSyntaxError, EOFError, NotImplementedError) as error:
        raise BadInput(f"the Word document is damaged: {error}") from error
    return Reading(DOCX, pages)


def _text(archive: zipfile.ZipFile, progress: Progress) -> Iterator[str]:
    parts = [name for pattern in _PARTS for name in sorted(archive.namelist()) if re.fullmatch(pattern, name)]
    for number, name in enumerate(parts):
        progress(number / len(parts))
        info = archive.getinfo(name)
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise BadInput("the Word document is encrypted and can't be opened without its password")
        if info.file_size > MOST_XML_BYTES:
            raise BadInput(f"the Word document is refused: {name} would unpack to {info.file_size:,} bytes")
        with archive.open(info) as stream:
            yield from _paragraphs(stream)
        yield "\n"


def _paragraphs(stream: IO[bytes]) -> Iterator[str]:
    """Text as a reader sees it: deleted text and field codes are not `w:t`, so they stay out by themselves.

    The cells of a table's row stand on one line, so that a label and its amount stay together.
    """
    from lxml import etree

    cells = 0
    wanted = [f"{_W}{name}" for name in ("t", "tab", "br", "cr", "p", "tc", "tr")]
    events = etree.iterparse(stream, ("start", "end"), tag=wanted, resolve_entities=False, no_network=True)
    for event, element in events:
        name = element.tag.removeprefix(_W)
        cells += (name == "tc") * (1 if event == "start" else -1)
        if event == "start":
            continue
        yield (element.text or "") if name == "t" else _space(name, cells)
        _forget(element)


def _space(name: str, cells: int) -> str:
    if name in ("tab", "tc"):
        return "\t"
    return " " if cells else "\n"


def _forget(element: Any) -> None:
    """Drop what has been read, so that memory does not grow with the document."""
    element.clear(keep_tail=True)
    while element.getprevious() is not None and element.getparent() is not None:
        del element.getparent()[0]
