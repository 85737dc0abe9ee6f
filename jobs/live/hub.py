"""One LISTEN connection per web process, fanned out to the mailboxes of its sockets.

What a viewer may see is decided here for every change, from the rows and `node_access` as they are now: nothing that
the announcement or the browser says is believed. The cost is two queries per batch, however many sockets there are.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import psycopg

from jobs.live.address import direct_conninfo
from jobs.live.closing import GOING_DOWN
from jobs.live.doorkeeper import Doorkeeper
from jobs.live.mailbox import Mailbox
from jobs.live.messages import CHANNEL, Change, decode
from jobs.live.reading import NOTHING, Sight, hang_up, look
from jobs.live.state import State

logger = logging.getLogger(__name__)

SLICE_SECONDS = 5.0
"""How long the listener may be silent before it asks the server for a sign of life."""

PAUSE_SECONDS = 0.1
"""Between two deliveries, so that a burst is read once and a page changes at most ten times a second."""

MAX_WAITING_IDS = 5_000


@dataclass(frozen=True)
class HubState:
    """What /alive and the dashboard say about the listener: idle, connecting, listening, lost or closed."""

    name: str
    since: datetime
    detail: str = ""


class Hub:
    """The listener of one event loop. It starts with the first mailbox and ends with `aclose`."""

    def __init__(self) -> None:
        self.state = HubState("idle", datetime.now(UTC))
        self.ready = asyncio.Event()
        self.mailboxes: set[Mailbox] = set()
        self._waiting: dict[str, set[UUID]] = {}
        self._missed = False
        self._heard = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.doorkeeper = Doorkeeper()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="live-reader")

    def open(self, mailbox: Mailbox) -> None:
        """Start delivering to a mailbox."""
        self.mailboxes.add(mailbox)
        self.start()

    def discard(self, mailbox: Mailbox) -> None:
        """Stop delivering to a mailbox."""
        self.mailboxes.discard(mailbox)

    def sockets_of(self, user_id: int) -> int:
        """How many sockets a person has open in this process."""
        return sum(mailbox.viewer.user_id == user_id for mailbox in self.mailboxes)

    def start(self) -> None:
        """Start listening, unless that is already so."""
        if not self._tasks and self.state.name != "closed":
            self._become("connecting")
            self._tasks = [
                asyncio.create_task(self._listen_for_ever(), name="live listener"),
                asyncio.create_task(self._deliver_for_ever(), name="live delivery"),
                asyncio.create_task(self.doorkeeper.check_for_ever(self.mailboxes), name="live doorkeeper"),
            ]

    async def aclose(self) -> None:
        """Close every socket and the connections. Afterwards nothing of the hub is left in the loop."""
        self._become("closed")
        for mailbox in self.mailboxes:
            mailbox.close(GOING_DOWN)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        await self.doorkeeper.aclose()
        await asyncio.get_running_loop().run_in_executor(self._reader, hang_up)
        self._reader.shutdown(wait=False)

    # Hearing

    async def _listen_for_ever(self) -> None:
        pause = 0.1
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                logger.warning("listening for changes failed, trying again: %s", error)
                pause = 0.1 if self.ready.is_set() else min(pause * 2, 5.0)
                self._become("lost", str(error))
                for mailbox in self.mailboxes:
                    mailbox.deafen()
            await asyncio.sleep(pause)

    async def _listen(self) -> None:
        connection = await psycopg.AsyncConnection.connect(
            direct_conninfo(),
            autocommit=True,
            application_name="synops listener",
            connect_timeout=5,
            keepalives_idle=30,
        )
        async with connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            self._become("listening")
            self._resync()  # whatever was said while we were deaf is gone
            while True:
                async for notify in connection.notifies(timeout=SLICE_SECONDS):
                    self._hear(decode(notify.payload))
                await connection.execute("SELECT 1")  # raises when the other end is gone

    def _hear(self, change: Change) -> None:
        waiting = self._waiting.setdefault(change.kind, set())
        waiting.update(change.ids)
        if change.resync or len(waiting) > MAX_WAITING_IDS:
            self._waiting.clear()
            self._missed = True
        self._heard.set()

    def _resync(self) -> None:
        for mailbox in self.mailboxes:
            mailbox.resync()

    def _become(self, name: str, detail: str = "") -> None:
        self.state = HubState(name, datetime.now(UTC), detail)
        if name == "listening":
            self.ready.set()
        else:
            self.ready.clear()

    # Telling

    async def _deliver_for_ever(self) -> None:
        while True:
            await self._heard.wait()
            self._heard.clear()
            await self._deliver()
            await asyncio.sleep(PAUSE_SECONDS)

    async def _deliver(self) -> None:
        """Everything is read before anything is told: a page gets one message of it, whatever kinds it shows."""
        heard, self._waiting = self._waiting, {}
        missed, self._missed = self._missed, False
        sights = [await self._look(kind, ids) for kind, ids in heard.items()]
        if missed or None in sights:
            self._resync()
        for kind, sight in zip(heard, sights, strict=True):
            if sight is not None:
                tell(self._interested(kind), kind, sight)

    def _interested(self, kind: str) -> list[Mailbox]:
        return [mailbox for mailbox in self.mailboxes if kind in mailbox.viewer.kinds]

    async def _look(self, kind: str, ids: set[UUID]) -> Sight | None:
        """What there is to tell of these rows. None when they could not be read."""
        interested = self._interested(kind)
        watched = {id for mailbox in interested for id in mailbox.watched.get(kind, ()) if id in ids}
        others = ids - watched if any(kind in mailbox.lists for mailbox in interested) else set()
        if not watched and not others:
            return NOTHING
        users = {mailbox.viewer.user_id for mailbox in interested}
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, look, kind, watched, others, users)
        except Exception:
            logger.warning("reading changed rows failed, telling the pages to fetch", exc_info=True)
            return None


def tell(mailboxes: Iterable[Mailbox], kind: str, sight: Sight) -> None:
    """Put into each mailbox what its viewer watches and may see."""
    rows = {row.id: row for row in sight.rows}
    states = {row.id: State(kind, row.id, row.fields) for row in sight.rows}
    for mailbox in mailboxes:
        watched = mailbox.watched.get(kind, frozenset())
        for id in rows.keys() & watched:
            if sight.may_see(mailbox.viewer, rows[id].node_id):
                mailbox.offer(states[id])
        if kind in mailbox.lists:
            places = {rows[id].node_id for id in rows.keys() - watched} | sight.other_places
            if any(sight.may_see(mailbox.viewer, place) for place in places):
                mailbox.offer_other(kind)


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def get_hub() -> Hub:
    """The hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        for dead in [known for known in _hubs if known.is_closed()]:
            del _hubs[dead]
        _hubs[loop] = Hub()
    return _hubs[loop]


def hub_state() -> HubState | None:
    """The state of this process's listener, from any thread; None when no page has asked for one yet."""
    hubs = [hub for loop, hub in list(_hubs.items()) if not loop.is_closed()]
    return hubs[-1].state if hubs else None


async def close_hub() -> None:
    """Close the running loop's hub, if it has one; a later socket starts a new one."""
    hub = _hubs.pop(asyncio.get_running_loop(), None)
    if hub is not None:
        with suppress(asyncio.CancelledError):
            await hub.aclose()
