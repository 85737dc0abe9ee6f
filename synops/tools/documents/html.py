"""The text of an HTML page as a reader sees it: one line a block, tables row by row, no scripts."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from synops.tools.documents.encodings import text_encoding
from synops.tools.documents.formats import HTML
from synops.tools.documents.pages import MOST_CHARACTERS, Reading, bounded

if TYPE_CHECKING:
    from synops.tools.documents.reader import Progress

CHUNK = 1 << 18
_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span"}
    | {"strong", "sub", "sup", "time", "tt", "u", "var"}
)
_CELL = frozenset({"td", "th"})
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr", "link", "meta"})


class TextTarget:
    """What lxml's parser tells as it goes; no tree is built, so memory does not grow with the page."""

    def __init__(self) -> None:
        self.title = ""
        # Not a list of pieces: of a page of 200 MB these are millions, at fifty bytes each beside their letters.
        self._text = io.StringIO()
        self._silent = 0
        self._in_title = False

    def start(self, tag: str, _attributes: object) -> None:
        self._in_title = tag == "title"
        self._silent += tag in _SILENT
        self._break(tag)

    def end(self, tag: str) -> None:
        self._in_title = False
        self._silent -= tag in _SILENT and self._silent > 0
        if tag not in _EMPTY:
            self._break(tag)

    def data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            # A newline in the source is a space; only elements break lines.
            self._text.write(data.replace("\r", " ").replace("\n", " "))

    @property
    def full(self) -> bool:
        """Whether there is more text than is kept, white space aside that tidying takes away."""
        return self._text.tell() > 2 * MOST_CHARACTERS

    def close(self) -> str:
        return self._text.getvalue()

    def _break(self, tag: str) -> None:
        if not self._silent and tag not in _INLINE:
            self._text.write("\t" if tag in _CELL else "\n")


def read(path: Path, progress: Progress) -> Reading:
    """The page's text and title. Broken markup is read as browsers read it."""
    size = max(path.stat().st_size, 1)
    target = TextTarget()
    text = parse(_chunks(path, size, progress), target)
    pages, _cut = bounded([text])
    title = " ".join(target.title.split())
    return Reading(HTML, pages, {"title": title} if title else {})


def html_to_text(markup: str) -> str:
    """The text of markup that is at hand already, such as the body of a mail."""
    return parse([markup], TextTarget())


def parse(chunks: Iterable[str], target: TextTarget) -> str:
    """Feed the parser and return what the target made of it.

    It gets UTF-8 whatever the file has: libxml2 knows fewer encodings than Python, and believes wrong declarations.
    """
    from lxml import etree

    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True, huge_tree=True)
    for chunk in chunks:
        if target.full:
            break
        parser.feed(chunk.encode("utf-8", "replace"))
    try:
        text: str = parser.close()
    except etree.XMLSyntaxError:  # “no element found”: there is no markup at all, or none that says anything
        text = target.close()
    return text


def _chunks(path: Path, size: int, progress: Progress) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(text_encoding(path))(errors="replace")
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield decoder.decode(chunk).lstrip("\ufeff")
            progress(stream.tell() / size)
    yield decoder.decode(b"", final=True)
