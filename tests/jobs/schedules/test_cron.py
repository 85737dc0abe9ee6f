"""Cron lines: which are valid, when they tick around changes of the clock, and what they say in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.schedules.cron import CronRefused, check, latest_tick, next_ticks
from jobs.schedules.reading import in_words

OSLO, NEW_YORK, LORD_HOWE = "Europe/Oslo", "America/New_York", "Australia/Lord_Howe"


def local(zone: str, text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)


@pytest.mark.parametrize(
    ("line", "code", "field"),
    [
        ("0 0 31 2 *", "never", 2),
        ("0 0 30,31 2 *", "never", 2),
        ("0 0 31 4,6,9,11 *", "never", 2),
        ("0 0 1--100000000 * *", "field", 2),
        ("0 0 1-99999999999999999999 * *", "field", 2),
        ("0 0 * * 8", "field", 4),
        ("60 0 * * *", "field", 0),
        ("*/0 * * * *", "field", 0),
        ("0 0 * MAI *", "field", 3),
        ("0 0 ½ * *", "field", 2),
        ("0 0 ٣ * *", "field", 2),
        ("* * * * * *", "fields", None),
        ("@daily", "fields", None),
        ("", "fields", None),
        ("0 0 " + ",".join(["1"] * 200) + " * *", "length", None),
    ],
)
def test_a_line_that_is_none_is_refused_and_says_where(line: str, code: str, field: int | None) -> None:
    """An unbounded line would hang here instead."""
    with pytest.raises(CronRefused) as refused:
        check(line)
    assert (refused.value.code, refused.value.field) == (code, field)


@pytest.mark.parametrize(
    "line", ["0 0 29 2 *", "0 0 30 2 1", "0 0 L 2 *", "0 0 * * MON#5", "5 4 * jan sun", "*/7 1-5 LW * *"]
)
def test_a_rare_line_is_valid(line: str) -> None:
    check(f"  {line.replace(' ', '   ')} ")
    assert len(next_ticks(line, OSLO, datetime(2026, 1, 1, tzinfo=UTC), 3)) == 3


def test_29_february_comes_every_four_years() -> None:
    ticks = next_ticks("0 0 29 2 *", OSLO, datetime(2026, 1, 1, tzinfo=UTC), 2)
    assert [tick.astimezone(ZoneInfo(OSLO)).year for tick in ticks] == [2028, 2032]


# In Oslo the clock goes from 02:00 to 03:00 on 29 March 2026 and from 03:00 to 02:00 on 25 October 2026; in New York from
# 02:00 to 03:00 on 8 March and from 02:00 to 01:00 on 1 November; on Lord Howe Island by half an hour, from 02:00 to 01:30
# on 5 April and from 02:00 to 02:30 on 4 October.
CHANGES = [
    # zone, line, after, what follows as local times with their fold
    (OSLO, "30 2 * * *", "2026-03-28T12:00", ["29T03:00", "30T02:30"]),
    (OSLO, "0,15,30 2 * * *", "2026-03-28T12:00", ["29T03:00", "30T02:00", "30T02:15"]),
    (OSLO, "0 3 * * *", "2026-03-28T12:00", ["29T03:00", "30T03:00"]),
    (OSLO, "*/30 * * * *", "2026-03-29T01:15", ["29T01:30", "29T03:00", "29T03:30"]),
    (OSLO, "30 2 * * *", "2026-10-24T12:00", ["25T02:30", "26T02:30"]),
    (OSLO, "0 2,3 * * *", "2026-10-24T12:00", ["25T02:00", "25T03:00", "26T02:00"]),
    (OSLO, "*/30 * * * *", "2026-10-25T01:45", ["25T02:00", "25T02:30", "25T02:00+", "25T02:30+", "25T03:00"]),
    (OSLO, "0 */2 * * *", "2026-10-25T00:30", ["25T02:00", "25T02:00+", "25T04:00"]),
    (NEW_YORK, "30 2 * * *", "2026-03-07T12:00", ["08T03:00", "09T02:30"]),
    (NEW_YORK, "*/15 2 * * *", "2026-03-07T12:00", ["09T02:00", "09T02:15"]),
    (NEW_YORK, "30 1 * * *", "2026-10-31T12:00", ["01T01:30", "02T01:30"]),
    (NEW_YORK, "0 * * * *", "2026-11-01T00:30", ["01T01:00", "01T01:00+", "01T02:00"]),
    (LORD_HOWE, "15 2 * * *", "2026-10-03T12:00", ["04T02:30", "05T02:15"]),
    (LORD_HOWE, "*/10 * * * *", "2026-10-04T01:45", ["04T01:50", "04T02:30", "04T02:40"]),
    (LORD_HOWE, "45 1 * * *", "2026-04-04T12:00", ["05T01:45", "06T01:45"]),
    (LORD_HOWE, "*/15 * * * *", "2026-04-05T01:20", ["05T01:30", "05T01:45", "05T01:30+", "05T01:45+", "05T02:00"]),
    (LORD_HOWE, "0 */2 * * *", "2026-04-05T01:40", ["05T02:00", "05T04:00"]),
]


def said(tick: datetime, zone: str) -> str:
    there = tick.astimezone(ZoneInfo(zone))
    return f"{there:%dT%H:%M}{'+' if there.fold else ''}"


@pytest.mark.parametrize(("zone", "line", "after", "expected"), CHANGES)
def test_changes_of_the_clock(zone: str, line: str, after: str, expected: list[str]) -> None:
    start = local(zone, after)
    ticks = next_ticks(line, zone, start, len(expected))
    assert [said(tick, zone) for tick in ticks] == expected
    for tick in ticks:
        assert latest_tick(line, zone, tick) == tick
        assert latest_tick(line, zone, tick + timedelta(seconds=59)) == tick


@given(
    line=st.sampled_from(["30 2 * * *", "*/20 * * * *", "0 0 * * 1", "15 1,2,3 * * *", "0 */3 1,15 * *"]),
    zone=st.sampled_from([OSLO, NEW_YORK, LORD_HOWE, "UTC", "Asia/Kathmandu", "Pacific/Apia"]),
    minutes=st.integers(0, 2 * 366 * 24 * 60),
)
@settings(max_examples=60, deadline=None)
def test_ticks_go_forward_without_repeating_and_backward_finds_the_same(line: str, zone: str, minutes: int) -> None:
    after = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    ticks = next_ticks(line, zone, after, 4)
    assert ticks == sorted(set(ticks))
    assert ticks[0] > after
    for earlier, later in pairwise(ticks):
        assert latest_tick(line, zone, later - timedelta(seconds=1)) == earlier


@pytest.mark.parametrize(
    ("line", "english"),
    [
        ("0 8 * * 1", "At 08:00, on Monday"),
        ("*/10 * * * *", "Every 10 minutes"),
        ("* * * * *", "Every minute"),
        ("0 * * * *", "Every hour, on the hour"),
        ("0 8,17 * * 1-5", "At 08:00 and 17:00, on working days"),
        ("0 0 1,15 1,7 *", "At 00:00, on day 1 and 15 of the month, in January and July"),
        ("30 6 L * *", "At 06:30, on the last day of the month"),
        ("0 9 * * 2#2", "At 09:00, on the second Tuesday of the month"),
        ("0 9 * * 0,6", "At 09:00, on Saturday and Sunday"),
        ("0 0 13 * 5", "At 00:00, on day 13 of the month, and also on Friday"),
        ("0 */2 * * *", "Every 2 hours, at 00 past"),
        ("15 8-16 * * *", "Every hour at minute 15 in the hours 8–16"),
        ("*/7 * * * *", "Every hour at minute 0, 7, 14, 21, 28, 35, 42, 49 and 56"),
    ],
)
def test_a_line_in_words(line: str, english: str) -> None:
    with translation.override("en"):
        assert in_words(line) == english


def test_a_line_in_norwegian() -> None:
    with translation.override("nb"):
        assert in_words("0 8 * * 1,4") == "Kl. 08:00, på mandag og torsdag"
        assert in_words("*/10 * * * *") == "Hvert 10. minutt"
