"""Readings of access logs: all of them into memory, or what is new into the database, a batch of lines a transaction.

Counts, open windows and the position in the log are written together, under the fence: a reading that is killed has either
counted a batch and knows it, or neither.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from synops.store.collections import collection_slugs
from synops.store.downloads import (
    Position,
    add_downloads,
    episodes_with,
    forget_windows,
    keep_position,
    keep_windows,
    lock_statistics,
    positions,
    windows_of,
)
from synops.store.locations import publish_dir
from synops.store.sql import Cursor
from synops.tools.access_logs import Line, Log, read_lines
from synops.tools.call import Call
from synops.tools.counting import Download, Heard, Key, Rules, Sounds, Tally, Windows, count, sift
from synops.tools.database import reading, writing
from synops.tools.listening import Request, Window

#: Lines that are read in one transaction: a killed reading loses no more, and holds its lock no longer.
BATCH_LINES: Final = 50_000
#: Longer than any window: what is older can't be added to.
KEPT: Final = datetime.timedelta(hours=48)

Told = dict[str, Any]
"""What the result says of one log."""


def read_all(call: Call, logs: Iterable[Log], rules: Rules, tally: Tally) -> list[Told]:
    """Count what the logs hold from their first lines on. Nothing is kept."""
    windows: Windows = {}
    read = []
    with reading(call) as cur:
        sounds = _sounds(call, cur)
        for log in logs:
            told = _told(log, 0)
            lines = read_lines(log, 0)
            while batch := list(islice(lines, BATCH_LINES)):
                count(sift(_requests(batch, told), rules, sounds, tally), windows, rules, sounds, tally)
                told["to"] = batch[-1].end
            read.append(told)
    return read


def read_new(call: Call, logs: Iterable[Log], rules: Rules, tally: Tally) -> list[Told]:
    """Count what has come since the last reading, and forget the windows that are over."""
    read = []
    for log in logs:
        told = _told(log, 0)
        while _read_batch(call, log, rules, tally, told):
            call.progress(None, f"{tally.requests} requests, {sum(tally.downloads.values())} downloads")
        read.append(told)
    with writing(call) as cur:
        forget_windows(cur, KEPT)
    return read


def _read_batch(call: Call, log: Log, rules: Rules, tally: Tally, told: Told) -> bool:
    """Some lines of a log, counted and remembered in one transaction; False when its end is reached."""
    new = Tally()
    with writing(call) as cur:
        lock_statistics(cur)
        start = positions(cur).get(log.identity, Position(0, -1))
        if not told["lines"]:
            told["from"] = told["to"] = start.at
        if log.packed and start.size == log.size:
            return False  # read to its end before; a packed log grows no more
        if not log.packed and start.at > log.size:
            told["cut"] = True  # shorter than what was read of it: somebody has taken its end away
            return False
        lines = list(islice(read_lines(log, start.at), BATCH_LINES))
        sounds = _sounds(call, cur)
        _count_in_windows(cur, sift(_requests(lines, told), rules, sounds, new), rules, sounds, new)
        add_downloads(cur, [_count_row(one, number) for one, number in new.downloads.items()])
        more = len(lines) == BATCH_LINES
        end = lines[-1].end if lines else start.at
        keep_position(cur, log.identity, log.path.name, Position(end, -1 if more else log.size))
    told["to"] = end
    tally.requests += new.requests
    tally.excluded += new.excluded
    tally.downloads += new.downloads
    return more


def _count_in_windows(cur: Cursor, heard: list[Heard], rules: Rules, sounds: Sounds, tally: Tally) -> None:
    """Count with the windows of the database, and put back those that have changed."""
    keys = {one.key for one in heard}
    windows: Windows = {}
    before: dict[int, datetime.datetime] = {}
    for row in windows_of(cur, sorted(keys)):
        window = Window(row.started, row.last, [(a, b) for a, b in row.spans], row.counted)
        windows.setdefault((row.path, row.client), []).append(window)
        before[id(window)] = row.started
    changed = count(heard, windows, rules, sounds, tally)
    keep_windows(cur, [_row(key, window, before.get(id(window), window.started)) for key, window in changed])


def _row(key: Key, window: Window, before: datetime.datetime) -> dict[str, Any]:
    return {
        "path": key[0],
        "client": key[1],
        "before": before.isoformat(),
        "started": window.started.isoformat(),
        "last": window.last.isoformat(),
        "spans": [list(span) for span in window.spans],
        "counted": window.counted,
    }


def _count_row(one: Download, number: int) -> dict[str, Any]:
    return {
        "node": str(one.node),
        "collection": str(one.collection),
        "day": one.day.isoformat(),
        "app": one.app,
        "downloads": number,
    }


def _requests(lines: Iterable[Line], told: Told) -> Iterator[Request]:
    for line in lines:
        told["lines"] += 1
        told["damaged"] += line.damaged
        if line.request:
            yield line.request


def _told(log: Log, start: int) -> Told:
    return {"name": log.path.name, "from": start, "to": start, "lines": 0, "damaged": 0}


def _sounds(call: Call, cur: Cursor) -> Sounds:
    """The episodes behind the published files, as the graph holds them now."""

    def places(path: str, digest: str) -> list[Path]:
        stored = [call.store.path(digest)] if call.store.exists(digest) else []
        return [publish_dir(call.environ) / path, *stored]

    return Sounds(lambda digest: episodes_with(cur, [digest]).get(digest, []), collection_slugs(cur), places)
