"""The worker: wires its parts, claims until it is stopped, and stops in good order.

One asyncio program. Everything that touches the database goes through a lane (a connection in a thread of its own),
everything that runs a program goes through the launcher.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import signal
from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import UUID

import psycopg

from jobs import queue
from jobs.launcher.client import LauncherClient, LauncherGone
from jobs.registries import Registries
from jobs.worker.claimer import Claimer
from jobs.worker.dispatcher import Dispatcher
from jobs.worker.execution import Surroundings
from jobs.worker.finisher import Finisher
from jobs.worker.herald import Announcing, Herald
from jobs.worker.inline import InlineRunner
from jobs.worker.lane import DatabaseAway, Lane
from jobs.worker.listener import Listener
from jobs.worker.liveness import Heartbeat, Sweeper
from jobs.worker.options import Options
from jobs.worker.recorder import Recorder
from jobs.worker.surveillance import DiskWatch
from jobs.worker.toolbox import Toolbox

logger = logging.getLogger(__name__)

LANES = ("claim", "prepare", "finish", "beat", "log", "inline", "repair")


class Worker:
    """Made once in a process; `await run()` returns when a signal, or `--drain`, has ended it."""

    def __init__(
        self, options: Options, launcher: LauncherClient, registries: Registries, announcer: Announcing
    ) -> None:
        self.options = options
        self.stopping = False
        self._launcher = launcher
        self._registries = registries
        self._wake = asyncio.Event()
        self._stop_now = asyncio.Event()
        self._cancels = asyncio.Event()
        self._lanes = {name: Lane(name, options.database_url) for name in LANES}
        self._lanes["beat"] = Lane("beat", options.database_url, deadline_seconds=options.ttl_seconds / 2)
        self._side_tasks = [factory() for factory in registries.side_tasks]
        self.toolbox = Toolbox(registries, options.types)
        self.listener = Listener(
            options.direct_url, {"synops_work": self._hear_of_work, "synops_cancel": self._cancels.set}
        )
        self.heartbeat = Heartbeat(self, self._lanes["beat"])
        self._herald = Herald(registries.on_finished, announcer, self._wake.set)
        self._finisher = Finisher(self._lanes["finish"], self._herald.changed)
        self._recorder = Recorder(self._lanes["log"], self._herald.touched)
        self._sweeper = Sweeper(self._lanes["repair"], self, self._herald)
        self._disk = DiskWatch(self._lanes["repair"], options)
        self._inline = InlineRunner(
            self._lanes["inline"], registries.inline, self._finisher, self._herald.changed, freed=self._wake.set
        )
        self.dispatcher = Dispatcher(
            around=Surroundings(launcher, options),
            slots=options.max_concurrent,
            toolbox=self.toolbox,
            finisher=self._finisher,
            recorder=self._recorder,
            prepare_lane=self._lanes["prepare"],
            freed=self._wake.set,
        )
        self._claimer = Claimer(
            lane=self._lanes["claim"],
            options=options,
            heartbeat=self.heartbeat,
            toolbox=self.toolbox,
            disk=self._disk,
            dispatcher=self.dispatcher,
            inline=self._inline,
            herald=self._herald,
            more=self._wake.set,
        )

    def holds(self) -> set[tuple[UUID, int]]:
        """(id, lease) of every job that this worker knows to be its own."""
        return self.dispatcher.holds() | self._inline.holds() | self._finisher.holds()

    def _hear_of_work(self) -> None:
        self._claimer.hear_of_work()
        self._wake.set()

    def request_stop(self) -> None:
        """What a signal does: the first stops claiming and drains, the second gives everything back now."""
        if self.stopping:
            logger.warning("stopping now: running jobs are given back")
            self.dispatcher.close()
            self._stop_now.set()
        else:
            logger.info("stopping: %d running jobs may finish", self.dispatcher.running_count)
            self.stopping = True
        self._wake.set()

    # -- the life of the worker --------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work until stopped. Raises what ended a side task: a worker without one would only look alive."""
        await self._refresh_tools()
        if not await self._register():
            return
        await self._before_work()
        logger.info("ready on %s for %s", self.options.machine, ", ".join(self.toolbox.types()) or "no job type")
        keepers = self._start_keepers()
        try:
            await self._work_beside(keepers)
            await self._wind_down()
        finally:
            await self._close(keepers)

    async def _before_work(self) -> None:
        """What apps do before the first claim. If it fails, whoever asked for it has another way to catch up."""
        for work in self._registries.before_work:
            try:
                await self._lanes["repair"].call(work)
            except (DatabaseAway, psycopg.Error) as error:
                logger.warning("not done before the first claim: %s", error)

    async def _register(self) -> bool:
        """Wait for the database, however long it takes; False when a signal came first."""
        said = False
        while not self.stopping:
            try:
                await self.heartbeat.register()
                self._launcher.marker = f"SYNOPS_WORKER_ID={self.heartbeat.worker_id}"
                return True
            except DatabaseAway as error:
                if not said:
                    logger.warning("waiting for the database: %s", error)
                said = True
                await self._pause(1.0)
        return False

    def _start_keepers(self) -> list[asyncio.Task[None]]:
        loops: list[tuple[str, Coroutine[Any, Any, None]]] = [
            ("heartbeat", self.heartbeat.run()),
            ("sweeper", self._sweeper.run()),
            ("listener", self.listener.run()),
            ("finisher", self._finisher.run()),
            ("recorder", self._recorder.run()),
            ("disk", self._disk.run()),
            ("cancels", self._watch_cancels()),
            ("tools", self._watch_tools()),
            *((task.name, task.run()) for task in self._side_tasks),
        ]
        return [asyncio.create_task(loop, name=name) for name, loop in loops]

    async def _work_beside(self, keepers: Sequence[asyncio.Task[None]]) -> None:
        """Claim until stopped, or until a keeper ends, which none ever should."""
        claiming = asyncio.create_task(self._claim_until_stopped(), name="claims")
        await asyncio.wait([claiming, *keepers], return_when=asyncio.FIRST_COMPLETED)
        ended = [task for task in keepers if task.done()]
        if ended:
            logger.error("side task %s has ended; the worker stops", ended[0].get_name())
            self.stopping = True
            self._wake.set()
        await claiming
        for task in ended:
            task.result()

    async def _claim_until_stopped(self) -> None:
        while not self.stopping:
            self._wake.clear()  # before the claim: what comes in during it is not missed
            claimed = await self._claimer.claim_and_start()
            if self.options.drain and claimed == 0 and await self._drained():
                return
            await self._pause(self.options.poll_seconds * random.uniform(1.0, 1.1))  # noqa: S311 (against stampedes)

    async def _pause(self, seconds: float) -> None:
        """Wait for new work, a free slot or a signal, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _drained(self) -> bool:
        """Whether `--drain` is done: nothing runs, every side task is idle, and then still nothing is claimable."""
        busy = self.dispatcher.running_count or self._inline.busy or not self._finisher.idle
        if busy or not all(task.idle() for task in self._side_tasks):
            return False
        if await self._claimer.claim_and_start() != 0:
            return False
        print(f"{await self._claimer.due_later()} due later", flush=True)  # noqa: T201 (what --drain promises)
        return True

    # -- small side tasks --------------------------------------------------------------------------------------------

    async def _watch_cancels(self) -> None:
        """Stop what people cancel: at once when the notification arrives, at the next beat when it was lost."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._cancels.wait(), self.options.heartbeat_seconds)
            self._cancels.clear()
            if self.dispatcher.running_count:
                with contextlib.suppress(DatabaseAway, psycopg.Error):
                    await self.dispatcher.stop_cancelled(await self._cancelled())

    async def _cancelled(self) -> set[tuple[UUID, int]]:
        return await self._lanes["beat"].call(queue.cancelling, self.heartbeat.worker_id)

    async def _watch_tools(self) -> None:
        while True:
            await asyncio.sleep(self.options.sweep_seconds)
            if await self._refresh_tools():
                logger.info("tools have changed; now %s", ", ".join(self.toolbox.types()))
                self._wake.set()

    async def _refresh_tools(self) -> bool:
        """Look for tools, and have those that allow it preloaded; whether anything had changed."""
        if not await self.toolbox.refresh():
            return False
        with contextlib.suppress(LauncherGone):  # a new launcher is started by the next run, and told then
            await self._launcher.preload(self.toolbox.preload_modules())
        return True

    # -- stopping ----------------------------------------------------------------------------------------------------

    async def _wind_down(self) -> None:
        """Let running jobs finish for a while, then stop them and give them back; a second signal is for now."""
        await self._inline.finished()
        if self.dispatcher.running_count:
            enough = asyncio.create_task(self._stop_now.wait())
            done = asyncio.create_task(self.dispatcher.finished())
            await asyncio.wait([enough, done], timeout=self.options.drain_seconds, return_when=asyncio.FIRST_COMPLETED)
            await self.dispatcher.stop_all(0 if self._stop_now.is_set() else None)
            await asyncio.wait([enough, done], return_when=asyncio.FIRST_COMPLETED)
            await self.dispatcher.stop_all(0)  # a second signal during the grace cuts it short
            await done
            enough.cancel()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._finisher.flushed(), self.options.drain_seconds)

    async def _close(self, keepers: Sequence[asyncio.Task[None]]) -> None:
        for task in keepers:
            task.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        with contextlib.suppress(DatabaseAway, psycopg.Error):
            await self.heartbeat.sign_off()
        await self._herald.close()
        for lane in self._lanes.values():
            await lane.close()


def stop_on_signals(worker: Worker) -> None:
    """SIGTERM, SIGINT and SIGHUP only set a flag: the loop decides when it is safe to act on it."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, worker.request_stop)
