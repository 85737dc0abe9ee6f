"""Clock triggers: "hver mandag kl. 8" → a cron line.

Written hours are hours of the day ("kl. 8" is 08:00). Spoken ones ("halv seks", "klokka fem") may be morning or
evening: without a word that tells ("hver morgen halv seks") the author is asked, never guessed at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from orchestration.language import packs
from orchestration.language.diagnostics import MAYBE, PLACEHOLDER, Edit, Reporter, Suggestion
from orchestration.language.plan import Schedule
from orchestration.language.source import Span
from orchestration.language.words import Token, say, span_of

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
class _Reading:
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


def is_clock(tokens: list[Token]) -> bool:
    """A time and no event: something that repeats, or a time of day."""
    reading = _read(tokens)
    return (reading.every or reading.hour is not None or bool(reading.days)) and len(reading.unread) <= 1


def parse(tokens: list[Token], reporter: Reporter) -> Schedule | None:
    """The schedule, or None with the reason reported."""
    reading = _read(tokens)
    phrase, place = say(tokens), span_of(tokens)
    if reading.unread:
        reporter.report("ORK-110", span_of(reading.unread), {"phrase": say(reading.unread)})
        return None
    if reading.unit in ("hour", "minute"):
        return _interval(reading, phrase, place, reporter)
    if not (reading.every or reading.days or reading.day_of_month):
        reporter.report("ORK-110", place, {"phrase": phrase}, (_write(f"hver dag {phrase}", place),))
        return None
    if reading.unit in ("weekly", "monthly") and not (reading.days or reading.day_of_month):
        example = "hver mandag kl. 08:00" if reading.unit == "weekly" else "den 1. hver måned kl. 08:00"
        reporter.report(
            "ORK-118", place, {"phrase": phrase, "example": example}, (_write(example, place, PLACEHOLDER),)
        )
        return None
    if reading.hour is None:
        example = f"{phrase} kl. {_usual(reading.part)}"
        reporter.report(
            "ORK-118", place, {"phrase": phrase, "example": example}, (_write(example, place, PLACEHOLDER),)
        )
        return None
    hour = _hour(reading, reporter)
    if hour is None:
        return None
    day = str(reading.day_of_month) if reading.day_of_month else "*"
    week = ",".join(str(number) for number in sorted(set(reading.days))) if reading.days else "*"
    return Schedule(f"{reading.minute} {hour} {day} * {_as_range(week)}")


def _as_range(week: str) -> str:
    return {"1,2,3,4,5": "1-5", "0,1,2,3,4,5,6": "*"}.get(week, week)


def _interval(reading: _Reading, phrase: str, place: Span, reporter: Reporter) -> Schedule | None:
    if reading.unit == "hour" and reading.step in (0, 1):
        return Schedule("0 * * * *")
    if reading.unit == "hour" and 24 % reading.step == 0:
        return Schedule(f"0 */{reading.step} * * *")
    if reading.unit == "minute" and reading.step and 60 % reading.step == 0:
        return Schedule(f"*/{reading.step} * * * *")
    reporter.report("ORK-110", place, {"phrase": phrase}, (_write("hvert 15. minutt", place),))
    return None


def _hour(reading: _Reading, reporter: Reporter) -> int | None:
    """The hour of the day, asked for when speech leaves it open."""
    hour = reading.hour or 0
    place = span_of(reading.time)
    if hour > 23 or reading.minute > 59:
        reporter.report("ORK-110", place, {"phrase": say(reading.time)})
        return None
    low = hour % 12
    if reading.part in ("afternoon", "evening") and hour <= 12:
        return low + 12
    if reading.part in ("morning", "night") and (hour < 12 or reading.part == "night"):
        return hour
    if reading.part:
        if hour >= 12 and reading.part == "morning":
            _ask(reading, hour, low, reporter)
            return None
        return hour
    if reading.spoken:
        _ask(reading, low, low + 12, reporter)
        return None
    return hour


def _ask(reading: _Reading, first: int, second: int, reporter: Reporter) -> None:
    place = span_of(reading.time)
    times = [f"{hour:02}:{reading.minute:02}" for hour in (first, second)]
    fixes = tuple(_write(f"kl. {time}", place) for time in times)
    args = {"phrase": say(reading.time), "first": times[0], "second": times[1]}
    reporter.report("ORK-116", place, args, fixes)


def _write(text: str, place: Span, applicability: str = MAYBE) -> Suggestion:
    return Suggestion(text, applicability, (Edit(place, text),), "write")


def _usual(part: str) -> str:
    return {"morning": "07:00", "afternoon": "14:00", "evening": "20:00", "night": "03:00"}.get(part, "08:00")


def _read(tokens: list[Token]) -> _Reading:
    reading = _Reading()
    words = [token for token in tokens if token.kind != "mark"]
    index = 0
    while index < len(words):
        index += _take(words, index, reading) or _skip(words[index], reading)
    return reading


def _skip(token: Token, reading: _Reading) -> int:
    if token.key not in _FILLER:
        reading.unread.append(token)
    return 1


def _take(words: list[Token], index: int, reading: _Reading) -> int:
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


def _days(words: list[Token], index: int, reading: _Reading) -> int:
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


def _every(words: list[Token], index: int, reading: _Reading) -> int:
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


def _group(key: str, reading: _Reading) -> int:
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


def _day_of_month(words: list[Token], index: int, reading: _Reading) -> int:
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


def _time_of_day(words: list[Token], index: int, reading: _Reading) -> int:
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


def _digits(token: Token, reading: _Reading, named: bool) -> int:
    match = _TIME.match(token.key)
    if match is None or not (named or match.group(2)):
        return 0
    reading.hour, reading.minute = int(match.group(1)), int(match.group(2) or 0)
    return 1


def _spoken(words: list[Token], index: int, reading: _Reading, named: bool) -> int:
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
    position += half
    if position >= len(words):
        return 0
    hour = numbers.get(words[position].key) or _number(words[position])
    if not hour or hour > 12 or not (named or half or offset):
        return 0
    minutes = hour * 60 + offset - (30 if half else 0)
    reading.hour, reading.minute, reading.spoken = minutes // 60 % 12, minutes % 60, True
    return position + 1 - index
