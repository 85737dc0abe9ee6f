"""What counts as a download, by the IAB's guidelines, without a log or a database."""

from __future__ import annotations

import datetime
import itertools
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from synops.store.downloads import Episode
from synops.tools.counting import Rules, Sound, Tally, count, sift
from synops.tools.listening import Request, id3_header, needed_bytes, union
from synops.tools.user_agents import user_agents

OSLO = ZoneInfo("Europe/Oslo")


PLAYER = "Overcast/3.0 (+http://overcast.fm/; iOS podcast app)"


EPISODE_ID = UUID(int=1)


SOUND = Sound(Episode(EPISODE_ID, UUID(int=2), 600.0), 1000)


def request(at: datetime.datetime, **changes: Any) -> Request:
    told: dict[str, Any] = {
        "at": at, "method": "GET", "status": 200, "path": "p", "address": "10.0.0.1", "agent": PLAYER, "asked_range": "",
        "sent": (0, 5000),
    }  # fmt: skip
    return Request(**(told | changes))


def counted(requests: list[Request], window: str = "calendar") -> Tally:
    rules, tally = Rules(user_agents(None), window, OSLO, bytes(32)), Tally()
    count(sift(requests, rules, lambda _: SOUND, tally), {}, rules, lambda _: SOUND, tally)
    return tally


@pytest.mark.parametrize(
    ("window", "expected"),
    [("calendar", [1, 1, 0, 1]), ("first_touch", [1, 0, 1, 1]), ("last_touch", [1, 0, 0, 1])],
)
def test_the_window_vector_of_the_guidelines(window: str, expected: list[int]) -> None:
    """IAB PTM 2.3, section 5.5: Monday 22:00, Tuesday 03:00, Tuesday 22:15, Wednesday 23:15."""
    times = [(2, 22, 0), (3, 3, 0), (3, 22, 15), (4, 23, 15)]
    asked = [request(datetime.datetime(2026, 3, day, hour, minute, tzinfo=OSLO)) for day, hour, minute in times]
    totals = [sum(counted(asked[:number], window).downloads.values()) for number in range(5)]
    assert [after - before for before, after in itertools.pairwise(totals)] == expected


NOON = datetime.datetime(2026, 3, 2, 12, tzinfo=OSLO)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"method": "HEAD"}, "not_get"),
        ({"status": 304}, "not_sent"),
        ({"status": 404}, "not_sent"),
        ({"status": 206, "asked_range": "bytes=0-1", "sent": (0, 2)}, "probe"),
        ({"agent": "atc/1.0 watchOS/10.1 model/Watch6,7"}, "watch_doublet"),
        ({"agent": "(null) (null) watchOS/10"}, "watch_doublet"),
        ({"agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"}, "robot"),
        ({"agent": "curl/8.1"}, "robot"),
        ({"agent": " - "}, "no_agent"),
        ({"sent": (0, 0)}, "nothing_sent"),
    ],
)
def test_what_counts_for_nothing(changes: dict[str, Any], reason: str) -> None:
    tally = counted([request(NOON, **changes)])
    assert (dict(tally.excluded), tally.requests, sum(tally.downloads.values())) == ({reason: 1}, 1, 0)


def test_pieces_are_put_together_and_the_same_piece_counts_once() -> None:
    def total(*spans: tuple[int, int]) -> int:
        return sum(counted([request(NOON, status=206, sent=span) for span in spans]).downloads.values())

    assert total((0, 600)) == total((0, 600), (0, 600)) == total((0, 600), (300, 900)) == 0
    assert total((0, 600), (600, 1000)) == total((900, 1500), (0, 400)) == 1
    assert union([(5, 9), (0, 3), (3, 4), (8, 12), (7, 7)]) == [(0, 4), (5, 12)]


def test_a_listener_is_an_address_with_an_app() -> None:
    asked = [
        request(NOON, address=address, agent=agent) for address in "ab" for agent in (PLAYER, "VLC/3.0 LibVLC/3.0")
    ]
    tally = counted(asked * 3)
    assert {(download.app, number) for download, number in tally.downloads.items()} == {("Overcast", 2), ("VLC", 2)}


def test_how_much_makes_a_download() -> None:
    assert needed_bytes(10_000_100, 100, 1000) == 100 + 600_000
    assert needed_bytes(10_000, 0, 30) == 10_000  # shorter than a minute: all of it
    assert needed_bytes(5_000_000, 0, None) == 960_000
    assert id3_header(b"ID3\x04\x00\x00\x00\x00\x02\x01") == 10 + 257
    assert id3_header(b"ID3\x04\x00\x10\x00\x00\x00\x01") == 21
    assert id3_header(b"\xff\xfb\x90\x00") == id3_header(b"") == 0
