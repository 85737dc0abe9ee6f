"""A plain text file; form feeds part its pages, as printers have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from synops.tools.documents.encodings import text_encoding
from synops.tools.documents.formats import PLAIN
from synops.tools.documents.pages import MOST_CHARACTERS, Reading, bounded

if TYPE_CHECKING:
    from synops.tools.documents.reader import Progress

CHUNK = 1 << 20


def read(path: Path, progress: Progress) -> Reading:
    """All pages; at most one character more than is kept is read."""
    with path.open("r", encoding=text_encoding(path), errors="replace", newline="") as stream:
        pages, _cut = bounded(_pages(stream))
    progress(1)
    return Reading(PLAIN, pages)


def _pages(stream: IO[str]) -> Iterator[str]:
    # A text without form feeds is one page, so the bound must hold while reading and not only between pages.
    text = stream.read(MOST_CHARACTERS + 1).lstrip("\ufeff")
    yield from text.split("\f")
