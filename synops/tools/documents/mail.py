"""The text of an e-mail: its headers, its body (plain before HTML), and the names of what is attached."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from synops.tools.documents.formats import EMAIL
from synops.tools.documents.html import html_to_text
from synops.tools.documents.pages import Reading, bounded
from synops.tools.failures import BadInput

if TYPE_CHECKING:
    from synops.tools.documents.reader import Progress

MOST_BYTES = 64 * 1024 * 1024
"""The parser of the standard library holds a mail in memory about four times. What is attached belongs to the case as
a document of its own anyway."""

_HEADERS = ("from", "to", "cc", "date", "subject")


def read(path: Path, progress: Progress) -> Reading:
    """Headers and body. Attachments are named, not read. Raises BadInput for a damaged mail and one over 64 MB."""
    if (size := path.stat().st_size) > MOST_BYTES:
        raise BadInput(
            f"the e-mail has {size:,} bytes; save its attachments as documents of the case and hand in those"
        )
    with path.open("rb") as stream:
        message = BytesParser(_class=EmailMessage, policy=policy.default).parse(stream)
    progress(0.5)
    try:
        pages, _cut = bounded(["\n".join(_lines(message))])
        attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    except (MessageError, LookupError, ValueError, AttributeError) as error:
        raise BadInput(f"the e-mail is damaged: {error}") from error
    # The headers alone are no text: a mail that only carries a scan says nothing.
    return Reading(EMAIL, pages if _has_body(message) else ("",), _properties(message) | _attachments(attached))


def _lines(message: EmailMessage) -> Iterator[str]:
    for name in _HEADERS:
        if value := message.get(name):
            yield f"{name.capitalize()}: {value}"
    yield ""
    yield body(message)


def body(message: EmailMessage) -> str:
    """The body's text: the plain part, else the HTML part made plain, else that of a message inside."""
    part = message.get_body(preferencelist=("plain", "html"))
    if isinstance(part, EmailMessage):
        content = _content(part)
        return html_to_text(content) if part.get_content_subtype() == "html" else content
    inner = next((found for found in message.walk() if found.get_content_maintype() == "text"), None)
    return _content(inner) if isinstance(inner, EmailMessage) else ""


def _content(part: EmailMessage) -> str:
    """A part's text, whatever its charset is called: an unknown one is read as Windows-1252."""
    try:
        return str(part.get_content())
    except LookupError:
        raw = part.get_payload(decode=True)
        return raw.decode("windows-1252", "replace") if isinstance(raw, bytes) else ""


def _has_body(message: EmailMessage) -> bool:
    return bool(body(message).strip())


def _properties(message: EmailMessage) -> dict[str, str]:
    found = {name: " ".join(str(message.get(name, "")).split()) for name in _HEADERS}
    if moment := _date(found["date"]):
        found["date"] = moment
    return {name: value for name, value in found.items() if value}


def _date(header: str) -> str:
    try:
        return parsedate_to_datetime(header).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return ""


def _attachments(names: list[str]) -> dict[str, str]:
    return {"attachments": ", ".join(names)} if names else {}
