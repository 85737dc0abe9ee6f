"""Markdown of strangers as HTML for strangers: what could harm is gone."""

from __future__ import annotations

import re

import pytest

from synops.tools.markdown import plain, shortened, to_html

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='java&#10;script:alert(1)'>x</a>",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)>",
    "<math><mtext></p><style><img src onerror=alert(1)></style></mtext></math>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x></object><embed src=x>",
    "<form action=//evil><input autofocus onfocus=alert(1)></form>",
    "<style>@import '//evil'</style><link rel=stylesheet href=//evil>",
    "<meta http-equiv=refresh content='0;url=//evil'><base href=//evil>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<div style='background:url(javascript:alert(1))'>x</div>",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "![x](javascript:alert(1))",
    '<https://x.no/" onmouseover=alert(1)>',
    "<b\x00onclick=alert(1)>x</b>",
]


DANGER = re.compile(
    r"<(?:script|iframe|object|embed|svg|math|style|link|meta|base|form|input|noscript)\b|<[^>]*\son\w+\s*=|"
    r"(?:href|src)\s*=\s*[\"']?\s*(?:javascript|data|vbscript):|<[^>]*\sstyle\s*=",
    re.IGNORECASE,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_loses_what_could_harm(text: str) -> None:
    assert not DANGER.search(to_html(f"Før\n\n{text}\n\nEtter"))
    assert DANGER.search("<a href='javascript:x'>")


@pytest.mark.parametrize(
    "text", ["<div>" * 3000, "[" * 3000, ">" * 3000, "*a **a " * 1000, "<!--" * 3000, "&#x0;" * 500]
)
def test_deep_and_broken_text_ends(text: str) -> None:
    assert isinstance(to_html(text), str)


def test_plain_words_and_shortening() -> None:
    assert plain("<p>En &amp; to</p><ul><li>tre</li><li>fire</li></ul>") == "En & to tre fire"
    assert [shortened("en to tre", length) for length in (9, 8, 3)] == ["en to tre", "en to…", "en…"]
