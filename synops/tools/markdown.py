"""What people write, as HTML that is safe to publish: Markdown with tables and footnotes, and of HTML only what is harmless.

Two fences: markdown-it knows no dangerous construct of its own, and nh3 (Ammonia) lets through only the tags, attributes
and address schemes named here, whatever the text held. Pure: the same text gives the same HTML.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

TAGS: Final = {
    *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "pre", "code", "ul", "ol", "li", "dl", "dt", "dd"),
    *("a", "em", "strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup", "q", "cite", "abbr", "kbd"),
    *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "caption"),
    *("img", "figure", "figcaption", "section", "time", "details", "summary", "span", "div"),
}
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "*": {"lang", "dir", "title"},
    **{tag: {"id"} for tag in ("h2", "h3", "h4", "h5", "h6", "sup")},
    "a": {"href", "id", "class"},
    "img": {"src", "alt", "width", "height"},
    "li": {"id", "class", "value"},
    "ol": {"start", "class"},
    "section": {"class"},
    "sup": {"id", "class"},
    "code": {"class"},
    "th": {"colspan", "rowspan", "scope", "align"},
    "td": {"colspan", "rowspan", "align"},
    "time": {"datetime"},
    "details": {"open"},
}
SCHEMES: Final = {"http", "https", "mailto", "tel"}
LINK_RELATIONS: Final = "noopener noreferrer nofollow"
_WORD_ENDS = re.compile(r"<(?:/p|/h\d|/li|/t[dh]|/tr|br|hr)\b")
_FOOTNOTES = re.compile(
    r'<sup class="footnote-ref">.*?</sup>|<hr>\s*<section class="footnotes">.*?</section>', re.DOTALL
)
# markdown-it aligns table cells by a style attribute, which neither nh3 nor a strict policy lets through.
_ALIGNED = re.compile(r"^text-align:(left|right|center)$")


def to_html(text: str) -> str:
    """A text's HTML, without a heading of the first level: that one is the page's title."""
    return clean(_renderer().render(text))


def clean(source: str) -> str:
    """HTML with everything taken out that is not known to be harmless."""
    return nh3.clean(
        source, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel=LINK_RELATIONS, strip_comments=True
    )


def plain(source: str) -> str:
    """The words of some HTML, on one line, without its footnotes."""
    spaced = _WORD_ENDS.sub(r" \g<0>", _FOOTNOTES.sub("", source))
    return " ".join(html.unescape(nh3.clean(spaced, tags=set())).split())


def shortened(text: str, longest: int) -> str:
    """`text`, or as many of its first words as fit `longest` characters with an ellipsis."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,.;:–-") + "…"


@cache
def _renderer() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(footnote_plugin)
    made.core.ruler.push("one_title", _demote_headings)
    made.core.ruler.push("align", _align_by_attribute)
    return made


def _demote_headings(state: Any) -> None:
    """Where the author began with a first-level heading, all go down by one."""
    headings = [token for token in state.tokens if token.type in ("heading_open", "heading_close")]
    if any(token.tag == "h1" for token in headings):
        for token in headings:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"


def _align_by_attribute(state: Any) -> None:
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and (found := _ALIGNED.match(str(token.attrs.pop("style", "")))):
            token.attrs["align"] = found[1]
