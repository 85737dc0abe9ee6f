"""What kind of document a file is, from its first bytes and, for a ZIP, from what is in it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Final

from synops.store.mediatype import UNKNOWN, media_type
from synops.tools.failures import BadInput

PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML: Final = "text/html"
EMAIL: Final = "message/rfc822"
PLAIN: Final = "text/plain"
OLD_OFFICE: Final = "application/x-ole-storage"

HEAD_BYTES: Final = 4096
DOCX_BODY: Final = "word/document.xml"

_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_PICTURES: Final = ((b"II*\x00", "image/tiff"), (b"MM\x00*", "image/tiff"), (b"BM", "image/bmp"))
_HEADER_LINE = re.compile(rb"[!-9;-~]+:[ \t]")
# A letter may begin with “Dato: …” too; a mail has at least two of the lines that programs write.
_MAIL_HEADERS = re.compile(
    rb"^(from|to|subject|date|received|message-id|mime-version|return-path|delivered-to|content-type):", re.I | re.M
)
_MARKUP = re.compile(r"<(!doctype\s+html|html|head|body|meta|div|p|table|h[1-6])\b", re.I)


def detect(path: Path) -> str:
    """The media type. Raises BadInput for an empty file and a damaged ZIP."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if not head:
        raise BadInput("the document is empty: it has 0 bytes")
    # PDF readers accept a file whose header stands anywhere in the first kilobyte, and such files exist.
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(_WIDE):  # before all else: a byte order mark looks like a frame of MP3
        return _text(head)
    known = media_type(head)
    if known == "application/zip":
        return _in_zip(path)
    if known not in (UNKNOWN, HTML, PLAIN, "application/xml"):
        return known
    return _other(head)


def _other(head: bytes) -> str:
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return OLD_OFFICE
    for mark, found in _PICTURES:
        if head.startswith(mark):
            return found
    if _is_mail(head):
        return EMAIL
    return _text(head) if b"\x00" not in head else UNKNOWN


def _text(head: bytes) -> str:
    return HTML if _MARKUP.search(head.decode("latin-1").replace("\x00", "")) else PLAIN


def _is_mail(head: bytes) -> bool:
    block = head.lstrip(b"\xef\xbb\xbf\r\n").replace(b"\r\n", b"\n").split(b"\n\n", 1)[0]
    if block.startswith(b"From "):  # the first message of a mailbox file
        block = block.partition(b"\n")[2]
    names = {match.group(1).lower() for match in _MAIL_HEADERS.finditer(block)}
    return _HEADER_LINE.match(block) is not None and len(names) >= 2 and bool(names - {b"from", b"to", b"date"})


def _in_zip(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise BadInput(f"the document is damaged: {error}") from error
    return DOCX if DOCX_BODY in names else "application/zip"
