"""When a cron line ticks: five fields, read as wall-clock time in a zone, by a written rule for changes of the clock.

A line is *fixed* when neither its minute nor its hour begins with a star, else it *repeats*.

- A wall-clock time that exists once ticks then.
- In a gap (spring) a fixed line ticks at the first valid instant after it, once; a repeating one leaves it out.
- A time that exists twice (autumn) is ticked once by a fixed line, at the first; twice by a repeating one.

Finding the times is cronsim's work; it is asked about naive times only, so that the rule above is ours alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

MAX_CHARACTERS = 200
FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
SOME_DAY = datetime.fromisoformat("2000-01-01")  # naive, as all times are that cronsim is asked about
FAR = timedelta(hours=3)
"""More than a clock is ever set back, but for countries that changed their date."""


class CronRefused(ValueError):
    """A line that is no schedule. `code` is length, fields, field or never; `field` the place of the wrong one (0–4)."""

    def __init__(self, code: str, sentence: str, field: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.field = field


def check(cron: str) -> str:
    """The line, with single spaces. Raises CronRefused; takes milliseconds, whatever the line."""
    if len(cron) > MAX_CHARACTERS:
        raise CronRefused("length", f"A cron line has at most {MAX_CHARACTERS} characters.")
    parts = cron.split()
    if len(parts) != len(FIELDS):
        raise CronRefused("fields", f"A cron line has five fields ({', '.join(FIELDS)}), not {len(parts)}.")
    for place, part in enumerate(parts):
        _check_field(place, part)
    line = " ".join(parts)
    _check_days(line)
    return line


def _check_field(place: int, part: str) -> None:
    alone = ["*"] * len(FIELDS)
    alone[place] = part
    try:
        CronSim(" ".join(alone), SOME_DAY)
    except (CronSimError, ValueError, RecursionError) as error:
        raise CronRefused("field", f"“{part}” is no {FIELDS[place]}.", place) from error


def _check_days(line: str) -> None:
    """29 February comes, 31 February never does."""
    try:
        found = next(CronSim(line, SOME_DAY), None)
    except CronSimError:
        found = None
    if found is None:
        raise CronRefused("never", f"“{line}” names a day that never comes, such as 31 February.", 2)


def zone_named(name: str) -> ZoneInfo:
    """The time zone of that name, such as Europe/Oslo. Raises CronRefused."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise CronRefused("zone", f"“{name}” is no time zone; Europe/Oslo is one.") from error


def next_ticks(cron: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """The next ticks after an instant, in UTC."""
    tz = zone_named(zone)
    walls = _walls(cron, _wall(after, tz) - FAR)
    return list(islice(_in_order(walls, tz, repeats(cron), after), count))


def latest_tick(cron: str, zone: str, until: datetime) -> datetime | None:
    """The latest tick that is not after an instant, in UTC."""
    tz = zone_named(zone)
    latest: datetime | None = None
    for wall in _walls(cron, _wall(until, tz) + FAR, reverse=True):
        if latest is not None and wall < _wall(latest, tz) - FAR:
            break
        due = [tick for tick in instants(wall, tz, repeats(cron)) if tick <= until and (not latest or tick > latest)]
        latest = max(due, default=latest)
    return latest


def _walls(cron: str, start: datetime, reverse: bool = False) -> Iterator[datetime]:
    try:
        return CronSim(cron, start, reverse=reverse)
    except CronSimError as error:
        raise CronRefused("field", f"“{cron}” is no cron line.") from error


def repeats(cron: str) -> bool:
    """Whether the line goes by intervals (`*/5`) rather than naming times."""
    minute, hour, *_ = cron.split()
    return minute.startswith("*") or hour.startswith("*")


def instants(wall: datetime, zone: ZoneInfo, repeating: bool) -> list[datetime]:
    """When a wall-clock time is, in UTC: one instant; none or the end of the gap in a gap; one or two in a fold."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first == second:
        return [first]
    if _wall(first, zone) == wall:
        return [first, second] if repeating else [first]
    return [] if repeating else [_end_of_gap(second, first, zone)]


def _end_of_gap(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first instant with the new offset, between two that have the old and the new one."""
    new = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == new:
            after = middle
        else:
            before = middle
    return after.replace(microsecond=0)


def _in_order(walls: Iterator[datetime], zone: ZoneInfo, repeating: bool, after: datetime) -> Iterator[datetime]:
    """The instants of wall-clock times, sorted and each once: the second 02:30 comes after the first 02:45."""
    held: list[datetime] = []
    last = after
    for wall in walls:
        held = sorted({*held, *instants(wall, zone, repeating)})
        while held and _wall(held[0], zone) <= wall - FAR:
            tick = held.pop(0)
            if tick > last:
                yield tick
                last = tick
    yield from (tick for tick in held if tick > last)


def _wall(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)
