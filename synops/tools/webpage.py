"""From a web page's bytes to its article: title, author, date and text, without menus, notices and advertisements."""

from __future__ import annotations

import json
import logging
import re
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from synops.store.metadata import text
from synops.tools.failures import BadInput

#: Parameters that say where a reader came from and not what is shown.
TRACKING: Final = frozenset(
    {"fbclid", "gclid", "dclid", "msclkid", "igshid", "mc_cid", "mc_eid", "yclid", "_ga", "ref_src"}
)
# Each costs half a second and 50 MB, to load its words.
LANGUAGES: Final = ("nb", "nn", "en", "sv", "da")
ENOUGH_WORDS: Final = 400
#: "no" would not tell bokmål from nynorsk.
BELIEVED: Final = ("nb", "nn", "sv", "da")
HEAD: Final = 4_000
_LANG = re.compile(r"<html\b[^>]*?\slang=[\"']?([a-z]{2})\b", re.IGNORECASE)


class Article(NamedTuple):
    """What a page says. `published` is a date (2026-05-17) or empty, like all that the page does not tell."""

    title: str
    author: str
    site: str
    published: str
    description: str
    language: str
    body: str


def same_page(url: str) -> str:
    """One spelling of an address for all that lead to the same page: host in lower case, no tracking, no fragment."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    if parts.port and parts.port != {"http": 80, "https": 443}.get(parts.scheme):
        host = f"{host}:{parts.port}"
    kept = [
        pair
        for pair in parse_qsl(parts.query, keep_blank_values=True)
        if pair[0].lower() not in TRACKING and not pair[0].lower().startswith("utm_")
    ]
    query = urlencode(kept) if len(kept) != len(parse_qsl(parts.query, keep_blank_values=True)) else parts.query
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", query, ""))


def article_of(body: bytes, charset: str, url: str) -> Article:
    """Read a page. Raises BadInput for one without a text to read."""
    import trafilatura

    # Trafilatura logs what it thinks of each page; only our own sentence counts.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    source = _decoded(body, charset)
    try:
        found = trafilatura.extract(source, url=url, output_format="json", with_metadata=True, favor_precision=True)
    except (ValueError, RecursionError, TypeError, AttributeError) as error:  # a page can be made to confuse a parser
        raise BadInput(f"{url} can't be read as a page ({type(error).__name__}: {error})") from error
    data: dict[str, Any] = json.loads(found) if found else {}
    words = text(data.get("text"))
    if not words:
        raise BadInput(f"{url} holds no text to clip: it may be made by scripts, ask for a login, or be no article")
    return Article(
        title=text(data.get("title")) or (urlsplit(url).hostname or url),
        author=text(data.get("author")),
        site=text(data.get("source-hostname")) or text(data.get("hostname")) or (urlsplit(url).hostname or ""),
        published=text(data.get("date")),
        description=text(data.get("excerpt")) or text(data.get("description")),
        language=_declared(source) or language_of(words),
        body=words,
    )


def _declared(source: str | bytes) -> str:
    """The language that the page gives itself. Only where nobody writes it by accident: a template's default is English."""
    head = source[:HEAD].decode("latin-1") if isinstance(source, bytes) else source[:HEAD]
    found = _LANG.search(head)
    language = found[1].lower() if found else ""
    return language if language in BELIEVED else ""


def language_of(words: str) -> str:
    """The language of a text, from the forms of its words; empty when none of ours fits."""
    from simplemma import langdetect

    shares = langdetect(" ".join(words.split()[:ENOUGH_WORDS]), lang=LANGUAGES)
    name, share = shares[0]
    return name if name != "unk" and share > 0.3 else ""


def _decoded(body: bytes, charset: str) -> str | bytes:
    """By the server's character set where there is one; else the page itself says it, or the parser guesses."""
    try:
        return body.decode(charset, errors="replace") if charset else body
    except LookupError:
        return body
