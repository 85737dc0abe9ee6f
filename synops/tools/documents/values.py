"""Values as Norwegian and English documents write them: amounts, dates and whole numbers."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = (
    ("jan", "feb", "mar", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "des"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
)
_AMOUNT = re.compile(r"-?\d[\d .,']*")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")
_WORDED = re.compile(r"(\d{1,2})\.?\s*([a-zæøå]{3,9})\.?\s+(\d{4})", re.IGNORECASE)
_FALSE = frozenset({"nei", "no", "false", "0"})


def value_of(kind: str, text: str) -> float | int | str | bool | None:
    """The text as a value of a fact's type; None when it is none. Dates are ISO 8601 strings."""
    text = text.strip()
    match kind:
        case "amount":
            return amount(text)
        case "integer":
            found = amount(text)
            return None if found is None else round(found)
        case "date":
            return iso_date(text)
        case "boolean":
            return text.lower() not in _FALSE
        case _:
            return " ".join(text.split()) or None


def amount(text: str) -> float | None:
    """“kr 12 345,50”, “12.345,-”, “12,345.50”: the last separator parts the decimals if one or two digits follow it."""
    found = _AMOUNT.search(text)
    if found is None:
        return None
    digits = re.sub(r"[ ']", "", found.group(0)).rstrip(".,")
    whole, mark, rest = _last_separator(digits)
    if mark and len(rest) in (1, 2):
        return float(f"{_plain(whole)}.{rest}")
    return float(_plain(digits))


def _last_separator(digits: str) -> tuple[str, str, str]:
    at = max(digits.rfind("."), digits.rfind(","))
    return (digits, "", "") if at < 0 else (digits[:at], digits[at], digits[at + 1 :])


def _plain(digits: str) -> str:
    return digits.replace(".", "").replace(",", "")


def iso_date(text: str) -> str | None:
    """The first date in the text: 2025-12-31, 31.12.2025, 31. desember 2025. Days come before months."""
    if found := _ISO.search(text):
        return _date(*map(int, found.groups()))
    if found := _NUMERIC.search(text):
        day, month, year = map(int, found.groups())
        return _date(year, month, day)
    if found := _WORDED.search(text):
        name = found.group(2)[:3].lower()
        month = next((months.index(name) + 1 for months in _MONTHS if name in months), 0)
        return _date(int(found.group(3)), month, int(found.group(1)))
    return None


def _date(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
