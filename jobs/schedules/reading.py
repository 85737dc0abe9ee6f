"""A cron line in words, in the language of the reader: "At 08:00, on Monday and Friday"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cronsim import CronSim, CronSimError
from django.utils.dates import MONTHS, WEEKDAYS
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from jobs.schedules.cron import SOME_DAY, CronRefused

MOST_TIMES = 6
WORKDAYS = frozenset({1, 2, 3, 4, 5})
EVERY_DAY = frozenset(range(7))


def in_words(cron: str) -> str:
    """The reading of a line, in the active language. Raises CronRefused for one that is none."""
    try:
        line = CronSim(cron, SOME_DAY)
    except CronSimError as error:
        raise CronRefused("field", f"“{cron}” is no cron line.") from error
    minute, hour, day, _month, weekday = cron.upper().split()
    parts = [_times(line, minute, hour), _days(line, day, weekday), _months(line)]
    return capfirst(", ".join(part for part in parts if part))


# -- the time of day -------------------------------------------------------------------------------------------------


def _times(line: CronSim, minute: str, hour: str) -> str:
    minutes, hours = sorted(line.minutes), sorted(line.hours)
    if len(hours) == 24:
        return _every_hour(minutes, minute)
    if len(minutes) == 1 and _step(hour):
        return _("every %(n)d hours, at %(minute)02d past") % {"n": _step(hour), "minute": minutes[0]}
    if len(minutes) * len(hours) <= MOST_TIMES:
        times = [f"{one_hour:02d}:{one_minute:02d}" for one_hour in hours for one_minute in minutes]
        return pgettext("time of day", "at %(times)s") % {"times": _join(times)}
    return _("%(minutes)s in the hours %(hours)s") % {
        "minutes": _every_hour(minutes, minute),
        "hours": _numbers(hours),
    }


def _every_hour(minutes: Sequence[int], text: str) -> str:
    if len(minutes) == 60:
        return _("every minute")
    if step := _step(text):
        return ngettext("every %(n)d minute", "every %(n)d minutes", step) % {"n": step}
    if list(minutes) == [0]:
        return _("every hour, on the hour")
    return _("every hour at minute %(minutes)s") % {"minutes": _numbers(minutes)}


def _step(text: str) -> int:
    """5 of `*/5`; 0 of anything else, and of a step that does not divide its range: its last interval is shorter."""
    star, _slash, step = text.partition("/")
    return int(step) if star == "*" and step and int(step) in (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30) else 0


# -- days and months -------------------------------------------------------------------------------------------------


def _days(line: CronSim, day: str, weekday: str) -> str:
    by_date = "" if day == "*" else _dates(line)
    by_week = "" if weekday == "*" else _weekdays(line)
    if not (by_date and by_week):
        return by_date or by_week
    both = _("%(date)s, and only %(weekday)s") if line.day_and else _("%(date)s, and also %(weekday)s")
    return both % {"date": by_date, "weekday": by_week}


def _dates(line: CronSim) -> str:
    days = sorted(day for day in line.days if day > 0)
    said = [_("on the last day of the month")] if CronSim.LAST in line.days else []
    if CronSim.LAST_WEEKDAY in line.days:
        said.append(_("on the last working day of the month"))
    if days:
        said.insert(0, _("on day %(days)s of the month") % {"days": _numbers(days)})
    return _join(said)


def _weekdays(line: CronSim) -> str:
    plain = frozenset(item % 7 for item in line.weekdays if isinstance(item, int))
    nth = sorted(item for item in line.weekdays if not isinstance(item, int))
    if plain == EVERY_DAY:
        return ""
    if plain == WORKDAYS and not nth:
        return _("on working days")
    # cron counts from Sunday, Django's names from Monday.
    said = [str(WEEKDAYS[(day - 1) % 7]) for day in sorted(plain, key=lambda day: (day - 1) % 7)]
    said += [_nth(day, place) for day, place in nth]
    return _("on %(days)s") % {"days": _join(said)}


def _nth(day: int, place: int) -> str:
    name = str(WEEKDAYS[(day - 1) % 7])
    if place == CronSim.LAST:
        return _("the last %(day)s of the month") % {"day": name}
    ordinals = (_("first"), _("second"), _("third"), _("fourth"), _("fifth"))
    return _("the %(nth)s %(day)s of the month") % {"nth": ordinals[place - 1], "day": name}


def _months(line: CronSim) -> str:
    if len(line.months) == 12:
        return ""
    return _("in %(months)s") % {"months": _join([str(MONTHS[number]) for number in sorted(line.months)])}


# -- lists -----------------------------------------------------------------------------------------------------------


def _numbers(numbers: Sequence[int]) -> str:
    """1, 2, 3, 5 as "1–3 and 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return _join([str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs])


def _join(words: Sequence[Any]) -> str:
    *head, last = [str(word) for word in words]
    return _("%(first)s and %(last)s") % {"first": ", ".join(head), "last": last} if head else last
