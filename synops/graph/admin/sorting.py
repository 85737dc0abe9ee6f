"""The Norwegian alphabet for lists that Python sorts: … z æ ø å. Embedded servers have no ICU that could do it."""

from __future__ import annotations

import unicodedata

AFTER_Z = str.maketrans({"æ": "{", "ä": "{", "ø": "|", "ö": "|", "å": "}"})
"""The three characters that follow z in ASCII stand for the three letters that follow it in Norwegian."""


def alphabetical(text: str) -> str:
    """A key for `sorted`: case and other accents do not count."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).casefold().translate(AFTER_Z))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
