"""What a browser may say over its socket: which rows its page shows, and that it has read a message."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.live.closing import BAD_MESSAGE, TOO_MUCH, Refused

MAX_MESSAGE_BYTES = 16 * 1024
"""200 ids need 8 KiB."""

MAX_WATCHED = 200
MAX_MESSAGES, PER_SECONDS = 60, 10.0


@dataclass(frozen=True)
class Watch:
    """The rows that a page shows, and the kinds that it lists."""

    watched: Mapping[str, frozenset[UUID]]
    lists: frozenset[str]


@dataclass(frozen=True)
class Acknowledge:
    """The browser has dealt with one message and is ready for another."""


def parse(text: str | None, permitted: frozenset[str]) -> Watch | Acknowledge:
    """The request in one message. Raises Refused for anything else; kinds that are not permitted are left out."""
    if text is None or len(text.encode()) > MAX_MESSAGE_BYTES:
        raise Refused(BAD_MESSAGE)
    try:
        message = json.loads(text)
        if message.get("ack"):
            return Acknowledge()
        return watch(message["watch"], message.get("lists", []), permitted)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(BAD_MESSAGE) from None


def watch(rows: dict[str, list[Any]], lists: list[Any], permitted: frozenset[str]) -> Watch:
    """The page's rows as ids. Raises ValueError or TypeError when they are none, Refused when they are too many."""
    watched = {kind: frozenset(UUID(id) for id in ids) for kind, ids in rows.items()}
    if sum(map(len, watched.values())) > MAX_WATCHED:
        raise Refused(TOO_MUCH)
    return Watch(
        {kind: ids for kind, ids in watched.items() if kind in permitted},
        frozenset(str(kind) for kind in lists) & permitted,
    )


class Pace:
    """Refuses a browser that sends more than `MAX_MESSAGES` in `PER_SECONDS`."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=MAX_MESSAGES)

    def count(self) -> None:
        """One more message. Raises Refused when that is too many."""
        now = time.monotonic()
        if len(self._times) == MAX_MESSAGES and now - self._times[0] < PER_SECONDS:
            raise Refused(TOO_MUCH)
        self._times.append(now)
