"""Dates as people say them in meetings: "innen fredag", "før 1. mars", "by Friday" → a day, seen from the meeting's."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "januar january", "februar february", "mars march", "april", "mai may", "juni june", "juli july", "august",
            "september", "oktober october", "november", "desember december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "mandag måndag monday", "tirsdag tysdag tuesday", "onsdag wednesday", "torsdag thursday", "fredag friday",
            "lørdag laurdag saturday", "søndag sundag sunday",
        )
    )
    for name in names.split()
}  # fmt: skip
_DAY = rf"(?P<day>\d{{1,2}})\.?\s+(?P<month>{'|'.join(MONTHS)})"
_ENGLISH_DAY = rf"(?P<month2>{'|'.join(MONTHS)})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
_SOON = "i morgen|i morgon|tomorrow|neste uke|neste veke|next week"
_DUE: Final = re.compile(
    r"\b(?:innen|før|til|senest|seinast|på|by|before|on|until)?\s*"
    rf"(?P<when>{_DAY}|{_ENGLISH_DAY}|(?P<weekday>{'|'.join(WEEKDAYS)})|(?P<soon>{_SOON}))\b",
    re.IGNORECASE,
)


def due(sentence: str, today: date | None) -> tuple[str, date | None]:
    """The words that name a day, and the day when it can be told; nothing when there are none."""
    found = _DUE.search(sentence)
    if not found:
        return "", None
    return found[0].strip(), _day(found, today) if today else None


def _day(found: re.Match[str], today: date) -> date | None:
    if found["weekday"]:
        ahead = (WEEKDAYS[found["weekday"].lower()] - today.weekday()) % 7
        return today + timedelta(days=ahead or 7)
    if found["soon"]:
        return today + timedelta(days=1 if "mor" in found["soon"].lower() else 7)
    month, day = found["month"] or found["month2"], int(found["day"] or found["day2"])
    try:
        this_year = date(today.year, MONTHS[month.lower()], day)
        return this_year if this_year >= today else this_year.replace(year=today.year + 1)
    except ValueError:
        return None  # 31 February, or 29 in a year that has none
