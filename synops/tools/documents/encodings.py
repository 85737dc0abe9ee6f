"""Which characters the bytes of a text file mean, when nothing outside the file says so."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,100}encoding=["']([\w.:-]+)""", re.I
)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
CHUNK = 1 << 20


def text_encoding(path: Path) -> str:
    """By byte order mark, by what the file declares if that is true, else UTF-8 if it fits, else Windows-1252.

    A declaration is believed only when the bytes agree: files saved anew as UTF-8 often keep their old one.
    """
    with path.open("rb") as stream:
        head = stream.read(4096)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    declared = _DECLARED.search(head)
    name = (declared.group(1) or declared.group(2)).decode("ascii").lower() if declared else ""
    if _fits(path, "utf-8"):
        return "utf-8"
    # Browsers read latin-1 as Windows-1252, because that is what it nearly always is.
    return name if _known(name) and name not in ("utf-8", "iso-8859-1", "latin-1", "ascii") else "windows-1252"


def _known(name: str) -> bool:
    try:
        return bool(name) and codecs.lookup(name) is not None
    except LookupError:
        return False


def _fits(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
