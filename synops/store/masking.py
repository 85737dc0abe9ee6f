"""Takes secrets out of command lines and texts before they reach the log, a work item or a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

MASK = "•••"
_SECRET_NAMES = r"(?:password|passwd|passord|secret|token|api[-_]?key|apikey|authorization|credentials?)"  # noqa: S105 (names of secrets, none itself)
_FLAG = re.compile(rf"(--[a-z0-9-]*{_SECRET_NAMES}[a-z0-9-]*=).*", re.IGNORECASE | re.DOTALL)
_PAIR = re.compile(rf"({_SECRET_NAMES}[\"']?\s*[=:]\s*(?:bearer\s+|basic\s+)?[\"']?)[^\s\"'&,;]+", re.IGNORECASE)
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(@)", re.IGNORECASE)


def mask_argv(argv: Sequence[str]) -> list[str]:
    """A command line without the values of flags that carry secrets and without passwords in addresses."""
    return [_FLAG.sub(rf"\g<1>{MASK}", element) if _FLAG.match(element) else mask_text(element) for element in argv]


def mask_text(text: str) -> str:
    """A text without what looks like `token=…`, `Authorization: Bearer …` or the password of an address."""
    return _USER.sub(rf"\g<1>{MASK}\g<2>", _PAIR.sub(rf"\g<1>{MASK}", text))
