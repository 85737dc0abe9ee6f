"""The words of a clock phrase, sorted: what repeats, on which days, at what time, and what was not understood."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from orchestration.language import packs
from orchestration.language.words import Token

_PARTS = ("morning", "afternoon", "evening", "night")
_ADVERBS = {
    "daglig": "daily",
    "dagleg": "daily",
    "daily": "daily",
    "hourly": "hour",
    "månedlig": "monthly",
    "monthly": "monthly",
}
_TIME = re.compile(r"([0-9]{1,2})(?:[.:]([0-9]{2}))?$")
_FILLER = frozenset({"i", "om", "på", "den", "av", "the", "of", "on", "in", "og", "and", "presis"})


@cache
def _words() -> dict[str, frozenset[str]]:
    """Clock concept → its words in all languages."""
    found: dict[str, set[str]] = {}
    for language in packs.LANGUAGES:
        for name, value in packs.raw_pack(language)["clock"].items():
            if isinstance(value, list) and name not in ("days", "numbers", "ordinals"):
                found.setdefault(name, set()).update(value)
    return {name: frozenset(words) for name, words in found.items()}


@cache
def _numbered(name: str) -> dict[str, int]:
    """Word → number for days (0 = Sunday), numbers and ordinals (1 = first)."""
    found: dict[str, int] = {}
    for language in packs.LANGUAGES:
        clock = packs.raw_pack(language)["clock"]
        for index, word in enumerate(clock[name]):
            found[word] = index + (name == "ordinals")
        found.update(clock[f"{name.removesuffix('s')}_variants"] if name != "days" else {})
    return found


@dataclass(slots=True)
class Reading:
    every: bool = False
    unit: str = ""
    step: int = 0
    days: list[int] = field(default_factory=list)
    day_of_month: int = 0
    part: str = ""
    hour: int | None = None
    minute: int = 0
    spoken: bool = False
    time: list[Token] = field(default_factory=list)
    unread: list[Token] = field(default_factory=list)


def read(tokens: list[Token]) -> Reading:
    reading = Reading()
    words = [token for token in tokens if token.kind != "mark"]
    index = 0
    while index < len(words):
        index += _take(words, index, reading) or _skip(words[index], reading)
    return reading


def _skip(token: Token, reading: Reading) -> int:
    if token.key not in _FILLER:
        reading.unread.append(token)
    return 1


def _take(words: list[Token], index: int, reading: Reading) -> int:
    """Read one element; how many words it took."""
    key = words[index].key
    lexicon = _words()
    spoken = index + 1 < len(words) and words[index + 1].key in lexicon["past"] | lexicon["to"]
    if key in lexicon["every"] and not spoken:  # nynorsk "kvart" is both "every" and "quarter"
        reading.every = True
        return 1 + _every(words, index + 1, reading)
    if key in lexicon["alternate"]:
        reading.every, reading.step = True, 2
        return 1 + _every(words, index + 1, reading)
    if key in _ADVERBS and not reading.unit:
        reading.every, reading.unit = True, _ADVERBS[key]
        return 1
    if _day(key) is not None:
        return _days(words, index, reading)
    taken = _day_of_month(words, index, reading) or _time_of_day(words, index, reading)
    if taken:
        return taken
    return _group(key, reading)


def _days(words: list[Token], index: int, reading: Reading) -> int:
    """ "mandag", "mandager", "mandag til fredag"."""
    first = _day(words[index].key) or 0
    last = _day(words[index + 2].key) if index + 2 < len(words) else None
    if last is not None and words[index + 1].key in _words()["through"]:
        span = range(first, (last if last >= first else last + 7) + 1)
        reading.days += [day % 7 for day in span]
        reading.every = True
        return 3
    reading.days.append(first)
    reading.every = reading.every or words[index].key.endswith(("er", "ar", "s"))
    return 1


def _every(words: list[Token], index: int, reading: Reading) -> int:
    """What follows "hver": [15.] minutt, kvarter, time, dag, uke, måned."""
    lexicon, step, taken = _words(), reading.step, 0
    if index < len(words) and (words[index].kind == "number" or words[index].key in _numbered("ordinals")):
        step = _number(words[index]) or _numbered("ordinals").get(words[index].key, 0)
        taken = 1
    if index + taken < len(words):
        key = words[index + taken].key
        if key in lexicon["quarter"] and not step:
            reading.unit, reading.step = "minute", 15
            return taken + 1
        for unit in ("minute", "hour", "daily", "weekly", "monthly"):
            if key in lexicon[unit]:
                reading.unit, reading.step = unit, step or (1 if unit == "minute" else 0)
                return taken + 1
    return 0


def _day(key: str) -> int | None:
    days = _numbered("days")
    for ending in ("", "er", "ar", "ene", "en", "s", "ane"):
        bare = key.removesuffix(ending) if ending else key
        if bare in days and (not ending or bare != key):
            return days[bare]
    return None


def _group(key: str, reading: Reading) -> int:
    lexicon = _words()
    if key in lexicon["weekdays"]:
        reading.days += [1, 2, 3, 4, 5]
        reading.every = True
    elif key in lexicon["weekend"]:
        reading.days += [0, 6]
    elif key in lexicon["daily"] | lexicon["monthly"]:
        reading.unit = reading.unit or ("daily" if key in lexicon["daily"] else "monthly")
    else:
        part = next((name for name in _PARTS if key in lexicon[name]), "")
        if not part:
            return 0
        reading.part = part
        reading.unit = reading.unit or "daily"
    return 1


def _day_of_month(words: list[Token], index: int, reading: Reading) -> int:
    """ "den 1. i hver måned", "den første i måneden"."""
    later = {token.key for token in words[index + 1 :]} & (_words()["monthly"] | {"måneden", "månaden"})
    ordinal = _numbered("ordinals").get(words[index].key, 0)
    number = _number(words[index]) or ordinal
    if not later or not number or not 1 <= number <= 28 or reading.day_of_month or words[index].key.find(":") > 0:
        return 0
    if index + 1 < len(words) and _day(words[index + 1].key) is not None:
        return 0  # "første mandag i måneden" has no cron line
    reading.day_of_month, reading.every = number, True
    tail = words[index + 1].key if index + 1 < len(words) else ""
    return 2 if tail in ("i", "of", "dag", "day") else 1


def _number(token: Token) -> int:
    return int(token.key) if token.kind == "number" and token.key.isdigit() and len(token.key) < 4 else 0


def _time_of_day(words: list[Token], index: int, reading: Reading) -> int:
    if reading.hour is not None:
        return 0
    start = index + 1 if words[index].key in _words()["at"] else index
    if start >= len(words):
        return 0
    taken = _digits(words[start], reading, named=start > index) or _spoken(words, start, reading, named=start > index)
    if not taken:
        return 0
    end = start + taken
    reading.time = words[index:end]
    return end - index


def _digits(token: Token, reading: Reading, named: bool) -> int:
    match = _TIME.match(token.key)
    if match is None or not (named or match.group(2)):
        return 0
    reading.hour, reading.minute = int(match.group(1)), int(match.group(2) or 0)
    return 1


def _spoken(words: list[Token], index: int, reading: Reading, named: bool) -> int:
    """[fem|ti|kvart over|på] [halv] seks, midnatt."""
    lexicon, numbers = _words(), _numbered("numbers")
    key = words[index].key
    if key in lexicon["midnight"]:
        reading.hour = 0
        return 1
    if key in lexicon["noon"]:
        reading.hour = 12
        return 1
    offset, position = 0, index
    if len(words) > index + 2 and words[index + 1].key in lexicon["past"] | lexicon["to"]:
        size = 15 if key in lexicon["quarter"] else numbers.get(key) or _number(words[index])
        if size:
            offset = size if words[index + 1].key in lexicon["past"] else -size
            position = index + 2
    half = position + 1 < len(words) and words[position].key in lexicon["half"]
    if half and words[position + 1].key in lexicon["past"] and position + 2 < len(words):  # English "half past five"
        half, offset, position = False, 30, position + 2
    position += half
    if position >= len(words):
        return 0
    hour = numbers.get(words[position].key) or _number(words[position])
    if not hour or hour > 12 or not (named or half or offset):
        return 0
    minutes = hour * 60 + offset - (30 if half else 0)
    reading.hour, reading.minute, reading.spoken = minutes // 60 % 12, minutes % 60, True
    return position + 1 - index
