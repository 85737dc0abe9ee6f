"""The grammar of RSS 2.0 documents: elements, names, dates, and nothing that XML can't hold. Pure."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final

ATOM: Final = "http://www.w3.org/2005/Atom"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def begin(namespaces: Mapping[str, str]) -> tuple[ET.Element, ET.Element]:
    """An empty document and its channel. `namespaces`: prefix → URI."""
    for prefix, uri in namespaces.items():
        ET.register_namespace(prefix, uri)
    rss = ET.Element("rss", version="2.0")
    return rss, ET.SubElement(rss, "channel")


def document(rss: ET.Element) -> bytes:
    """The document as bytes, indented; the same document gives the same bytes."""
    ET.indent(rss)
    written: bytes = ET.tostring(rss, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def add(parent: ET.Element, tag: str, content: str | None = None, /, **attributes: str) -> ET.Element:
    """A new element at the end of `parent`; empty attributes are left out."""
    kept = {key: legal(value) for key, value in attributes.items() if value}
    element = ET.SubElement(parent, tag, kept)
    element.text = None if content is None else legal(content)
    return element


def optional(parent: ET.Element, tag: str, content: str) -> None:
    """A new element, if there is something to say."""
    if content:
        add(parent, tag, content)


def legal(text: str) -> str:
    """`text` without the characters that XML 1.0 can't hold even escaped; ElementTree would write them all the same."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def name(uri: str, tag: str) -> str:
    """A tag in a namespace, as ElementTree spells it."""
    return f"{{{uri}}}{tag}"


def date(moment: datetime) -> str:
    """A time as RSS writes it, in UTC (RFC 822 with a year of four digits)."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0))
