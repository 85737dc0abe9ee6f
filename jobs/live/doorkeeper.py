"""Who sits behind each socket: asked when it opens and again every minute, for all of them in one thread that keeps its
connection.

With a thread for each socket every look opened a connection of its own, and the looks of a thousand sockets, which never
end, held up what there was to tell.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from jobs.live.closing import Refused
from jobs.live.mailbox import Mailbox, Viewer
from jobs.live.reading import hang_up, trying_twice
from jobs.live.viewer import viewer_of

logger = logging.getLogger(__name__)

CHECK_SECONDS = 60.0


class Doorkeeper:
    """Belongs to a hub. Sockets are let in one after the other."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="live-doorkeeper")

    async def identify(self, session_key: str | None) -> Viewer:
        """The viewer whom the session belongs to as of now. Raises Refused."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, trying_twice, lambda: viewer_of(session_key)
        )

    async def check_for_ever(self, mailboxes: Collection[Mailbox]) -> None:
        """A socket outlives a logout, so the sessions and the rights behind them are read again now and then."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            for session_key, group in by_session(mailboxes).items():
                await self._check(session_key, group)

    async def _check(self, session_key: str, group: Collection[Mailbox]) -> None:
        try:
            viewer = await self.identify(session_key)
        except Refused as refused:
            for mailbox in group:
                mailbox.close(refused.code)
        except Exception:
            logger.warning("reading a session failed, its pages stay open until the next look", exc_info=True)
        else:
            for mailbox in group:
                mailbox.viewer = viewer

    async def aclose(self) -> None:
        """Close the thread's connection and let the thread end."""
        await asyncio.get_running_loop().run_in_executor(self._thread, hang_up)
        self._thread.shutdown(wait=False)


def by_session(mailboxes: Collection[Mailbox]) -> dict[str, list[Mailbox]]:
    """A person's pages share a session, which is read once for all of them."""
    groups: dict[str, list[Mailbox]] = {}
    for mailbox in mailboxes:
        groups.setdefault(mailbox.session_key, []).append(mailbox)
    return groups
