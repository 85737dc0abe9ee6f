"""Fills the free slots and the inline lane: asks the governor what this machine may carry now, and claims that much."""

from __future__ import annotations

import logging
from collections.abc import Callable

import psycopg

from jobs import queue
from jobs.queue import ClaimMemory
from jobs.worker.dispatcher import Dispatcher
from jobs.worker.herald import Herald
from jobs.worker.inline import InlineRunner
from jobs.worker.lane import DatabaseAway, Lane
from jobs.worker.liveness import Heartbeat
from jobs.worker.options import Options
from jobs.worker.surveillance import DiskWatch, Governor
from jobs.worker.toolbox import Toolbox

logger = logging.getLogger(__name__)


class Claimer:
    """One claim for each of the two lanes at a time. `more` is called when there is more to claim at once."""

    def __init__(
        self,
        *,
        lane: Lane,
        options: Options,
        heartbeat: Heartbeat,
        toolbox: Toolbox,
        disk: DiskWatch,
        dispatcher: Dispatcher,
        inline: InlineRunner,
        herald: Herald,
        more: Callable[[], None],
    ) -> None:
        self._lane = lane
        self._options = options
        self._heartbeat = heartbeat
        self._toolbox = toolbox
        self._disk = disk
        self._dispatcher = dispatcher
        self._inline = inline
        self._herald = herald
        self._more = more
        self._governor = Governor(lane, options)
        self._memories = {name: ClaimMemory() for name in ("slots", "inline")}
        self._no_claim_said = False

    def hear_of_work(self) -> None:
        """Something has been enqueued, or moved: what the claims remember may be old. Any thread may say so."""
        for memory in self._memories.values():
            memory.news()

    async def claim_and_start(self) -> int | None:
        """Claim what there is room for, and start it; how many, or None when not everything could be asked for."""
        if self._heartbeat.overdue():  # others take this worker for lost; what it claimed now would be taken away
            return None
        if self._heartbeat.held:
            return 0
        try:
            live_call = await self._governor.live_call()
            inline = await self._claim_inline(live_call)
            slotted = await self._claim_for_slots(live_call)
        except (DatabaseAway, psycopg.Error) as error:
            if not self._no_claim_said:  # once an outage, however long it lasts
                logger.warning("no claim: %s", error)
            self._no_claim_said = True
            return None
        self._no_claim_said = False
        return None if inline is None or slotted is None else inline + slotted

    async def _claim_for_slots(self, live_call: bool) -> int | None:
        if not self._dispatcher.free_slots:
            return None
        if not (types := self._toolbox.tool_types()):
            return 0
        jobs = await self._lane.call(
            queue.claim,
            worker_id=self._heartbeat.worker_id,
            machine=self._options.machine,
            types=types,
            slots=self._dispatcher.free_slots,
            budget=self._governor.budget(live_call=live_call),
            live_call=live_call,
            disk_full=self._disk.full,
            memory=self._memories["slots"],
        )
        for job in jobs:
            self._dispatcher.start(job)
        self._herald.touched([job.id for job in jobs])
        return len(jobs)

    async def _claim_inline(self, live_call: bool) -> int | None:
        types = self._toolbox.inline_types()
        if not types:
            return 0
        if not self._inline.has_room():
            return None
        jobs = await self._lane.call(
            queue.claim_inline,
            worker_id=self._heartbeat.worker_id,
            types=types,
            machine=self._options.machine,
            live_call=live_call,
            disk_full=self._disk.full,
            memory=self._memories["inline"],
        )
        if jobs:
            self._inline.start(jobs)
        if len(jobs) == queue.INLINE_BATCH:
            self._more()  # while this batch runs there is time to claim the next
        return len(jobs)

    async def due_later(self) -> int:
        """How many jobs that this worker can run are due later."""
        _, later = await self._lane.call(queue.waiting, self._toolbox.types())
        return later
