"""Clock triggers: "hver mandag kl. 8" → a cron line.

Written hours are hours of the day ("kl. 8" is 08:00). Spoken ones ("halv seks", "klokka fem") may be morning or
evening: without a word that tells ("hver morgen halv seks") the author is asked, never guessed at.
"""

from __future__ import annotations

from orchestration.language.clock_words import Reading, read
from orchestration.language.diagnostics import MAYBE, PLACEHOLDER, Edit, Reporter, Suggestion
from orchestration.language.plan import Schedule
from orchestration.language.source import Span
from orchestration.language.words import Token, say, span_of


def is_clock(tokens: list[Token]) -> bool:
    """A time and no event: something that repeats, or a time of day."""
    reading = read(tokens)
    repeats = reading.every and bool(reading.unit or reading.days or reading.day_of_month)
    return (repeats and len(reading.unread) <= 3) or (reading.hour is not None and len(reading.unread) <= 1)


def parse(tokens: list[Token], reporter: Reporter) -> Schedule | None:
    """The schedule, or None with the reason reported."""
    reading = read(tokens)
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


def _interval(reading: Reading, phrase: str, place: Span, reporter: Reporter) -> Schedule | None:
    if reading.unit == "hour" and reading.step in (0, 1):
        return Schedule("0 * * * *")
    if reading.unit == "hour" and 24 % reading.step == 0:
        return Schedule(f"0 */{reading.step} * * *")
    if reading.unit == "minute" and reading.step and 60 % reading.step == 0:
        return Schedule(f"*/{reading.step} * * * *")
    reporter.report("ORK-110", place, {"phrase": phrase}, (_write("hvert 15. minutt", place),))
    return None


def _hour(reading: Reading, reporter: Reporter) -> int | None:
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


def _ask(reading: Reading, first: int, second: int, reporter: Reporter) -> None:
    place = span_of(reading.time)
    times = [f"{hour:02}:{reading.minute:02}" for hour in (first, second)]
    fixes = tuple(_write(f"kl. {time}", place) for time in times)
    args = {"phrase": say(reading.time), "first": times[0], "second": times[1]}
    reporter.report("ORK-116", place, args, fixes)


def _write(text: str, place: Span, applicability: str = MAYBE) -> Suggestion:
    return Suggestion(text, applicability, (Edit(place, text),), "write")


def _usual(part: str) -> str:
    return {"morning": "07:00", "afternoon": "14:00", "evening": "20:00", "night": "03:00"}.get(part, "08:00")
