"""A cron line in words, where there are any that `clock` reads back to the same line."""

from __future__ import annotations

import re

from orchestration.language import packs
from orchestration.language.plan import Schedule


def describe(schedule: Schedule, language: str) -> str | None:
    """The schedule in words that `parse` reads back to the same cron line; None when there are none."""
    words = packs.printing(language)["clock"]
    fields = schedule.cron.split()
    if len(fields) != 5 or schedule != Schedule(schedule.cron) or fields[3] != "*":
        return None
    minute, hour, day, _, week = fields
    if hour == day == week == "*":
        if minute == "0":
            return str(words["hourly"])
        match = re.fullmatch(r"\*/([0-9]+)", minute)
        return str(words["minutes"]).replace("{minutes}", match.group(1)) if match and 60 % int(match[1]) == 0 else None
    if not (minute.isdigit() and hour.isdigit()):
        return None
    time = f"{int(hour):02}:{int(minute):02}"
    return _described_days(day, week, language, time)


def _described_days(day: str, week: str, language: str, time: str) -> str | None:
    words = packs.printing(language)["clock"]
    if day != "*":
        usable = day.isdigit() and 1 <= int(day) <= 28 and week == "*"
        return str(words["monthly"]).replace("{day}", day).replace("{time}", time) if usable else None
    if week in ("*", "1-5"):
        return str(words["daily" if week == "*" else "weekdays"]).replace("{time}", time)
    if not re.fullmatch(r"[0-6](,[0-6])*", week):
        return None
    names = [packs.raw_pack(language)["clock"]["days"][int(number)] for number in week.split(",")]
    said = names[0] if len(names) == 1 else f" {words['and']} ".join([", ".join(names[:-1]), names[-1]])
    return str(words["weekly"]).replace("{days}", said).replace("{time}", time)
