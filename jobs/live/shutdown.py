"""Under daphne: end the live view before the reactor stops.

On CPython up to 3.11.7 daphne dies with SIGSEGV on SIGTERM when a task is still pending at exit (python/cpython#113566):
its own trigger goes on as soon as the first of its applications has ended. Ours, a "before shutdown" trigger that
returns a Deferred, holds the reactor until every browser has been told why and nothing is left in the loop.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from jobs.live.hub import close_hub

SETTLE_SECONDS = 5.0


def close_sockets_before_shutdown() -> None:
    """Register the trigger, if this process runs daphne."""
    if "daphne.server" not in sys.modules:  # importing the reactor elsewhere would install one
        return
    from twisted.internet import defer
    from twisted.internet import reactor as installed

    reactor: Any = installed

    def closing() -> defer.Deferred[None]:
        return defer.Deferred.fromFuture(asyncio.ensure_future(settle()))

    reactor.addSystemEventTrigger("before", "shutdown", closing)


async def settle() -> None:
    """Close the hub and wait until the tasks that daphne cancels at the same time have ended."""
    await close_hub()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if not tasks:
        return
    _, pending = await asyncio.wait(tasks, timeout=SETTLE_SECONDS)
    for task in pending:
        task.cancel()
    if pending:
        await asyncio.wait(pending, timeout=SETTLE_SECONDS)
