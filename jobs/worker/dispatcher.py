"""The jobs that run in slots: starts each, stops it when asked, says how it ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from jobs.launcher.client import LauncherClient, LauncherGone
from jobs.queue import ClaimedJob, Ended, LogText
from jobs.tool_discovery import Tool
from jobs.worker import execution
from jobs.worker.attempt_log import AttemptLog
from jobs.worker.execution import Surroundings
from jobs.worker.finisher import Finisher
from jobs.worker.lane import DatabaseAway, Lane
from jobs.worker.recorder import Recorder
from jobs.worker.toolbox import Toolbox

logger = logging.getLogger(__name__)


@dataclass
class Running:
    """A job while it runs. `stopped` says why we asked it to stop."""

    job: ClaimedJob
    slot: int
    writes: bool = False
    stopped: str | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Dispatcher:
    """Owns the slots. `freed` is called whenever a job has ended and its slot is free."""

    def __init__(
        self,
        *,
        around: Surroundings,
        slots: int,
        toolbox: Toolbox,
        finisher: Finisher,
        recorder: Recorder,
        prepare_lane: Lane,
        freed: Callable[[], None],
    ) -> None:
        self._around = around
        self._toolbox = toolbox
        self._finisher = finisher
        self._recorder = recorder
        self._prepare_lane = prepare_lane
        self._freed = freed
        self._free = list(reversed(range(slots)))
        self._running: dict[tuple[UUID, int], Running] = {}
        self._closed = False
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def _launcher(self) -> LauncherClient:
        return self._around.launcher

    @property
    def free_slots(self) -> int:
        """How many more programs can run."""
        return len(self._free)

    @property
    def running_count(self) -> int:
        """How many jobs run now."""
        return len(self._running)

    def holds(self) -> set[tuple[UUID, int]]:
        """(id, lease) of what runs now."""
        return set(self._running)

    def start(self, job: ClaimedJob) -> None:
        """Run a claimed job; needs a free slot."""
        tool = self._toolbox.tool(job.job_type)
        running = Running(job, self._free.pop(), writes=_writes(tool))
        self._running[job.id, job.lease] = running
        running.task = asyncio.create_task(self._run_tool(running, tool), name=f"{job.job_type} {job.id}")
        running.task.add_done_callback(lambda task: self._ended(running, task))

    def _ended(self, running: Running, task: asyncio.Task[None]) -> None:
        del self._running[running.job.id, running.job.lease]
        self._free.append(running.slot)
        if not task.cancelled() and (error := task.exception()):
            logger.error("job %s could not be run", running.job.id, exc_info=error)
            self._finisher.add(Ended(running.job, "failed", reason="worker_error", error=repr(error)))
        self._freed()

    # -- running -----------------------------------------------------------------------------------------------------

    async def _run_tool(self, running: Running, tool: Tool | None) -> None:
        job, slot = running.job, running.slot
        if tool is None:  # the program vanished between claim and start
            self._finisher.interrupted(job)
            return
        try:
            line = await self._prepare_lane.call(execution.prepare, tool, job)
        except DatabaseAway:
            self._finisher.interrupted(job)
            return
        if isinstance(line, Ended):
            self._finisher.add(line)
            return
        if running.stopped or self._closed:  # asked to stop while its slot had nothing yet to be told to stop
            self._settle(running, None)
            return
        log = AttemptLog(job)
        self._recorder.watch(log)
        try:
            ended = await execution.run(self._around, slot, tool, job, line, log)
        except LauncherGone:
            await self._replace_launcher()
            running.stopped, ended = "launcher", None
        self._settle(running, ended, await self._recorder.last(log))

    def _settle(self, running: Running, ended: Ended | None, log: tuple[LogText, ...] = ()) -> None:
        if ended is not None:
            self._finisher.add(replace(ended, log=log))
        elif running.stopped == "cancelled":
            self._finisher.add(Ended(running.job, "cancelled", reason="cancelled", log=log))
        else:
            self._finisher.interrupted(running.job, log)

    async def _replace_launcher(self) -> None:
        if not self._launcher.alive:
            logger.error("the launcher has died; starting a new one")
            self._launcher.restart()

    def _in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # -- stopping ----------------------------------------------------------------------------------------------------

    async def stop_cancelled(self, wanted: set[tuple[UUID, int]]) -> None:
        """Stop the jobs that people have cancelled."""
        for key in wanted:
            if running := self._running.get(key):
                await self._stop(running, "cancelled")

    def fence(self) -> None:
        """Others take this worker for lost by now: stop what writes; the rest runs on and offers its result."""
        for running in list(self._running.values()):
            if running.writes:
                self._in_background(self._stop(running, "fenced"))

    def close(self) -> None:
        """Start no program from now on: a claimed job whose program has not begun is given back."""
        self._closed = True

    async def stop_all(self, grace_seconds: float | None) -> None:
        """Stop everything that runs; it is given back."""
        for running in list(self._running.values()):
            await self._stop(running, "shutdown", grace_seconds)

    async def _stop(self, running: Running, why: str, grace_seconds: float | None = None) -> None:
        running.stopped = running.stopped or why
        await self._launcher.cancel(running.slot, grace_seconds)

    async def finished(self) -> None:
        """Wait until nothing runs."""
        while tasks := [running.task for running in self._running.values() if running.task]:
            await asyncio.wait(tasks)
            await asyncio.sleep(0)  # lets the callbacks that empty the table run


def _writes(tool: Tool | None) -> bool:
    return tool is not None and tool.description.database == "write"
