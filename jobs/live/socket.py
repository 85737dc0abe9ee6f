"""One browser's socket: says who it is, what its page shows, and gets the changes of rows that it may see.

A plain ASGI application: Channels' consumers hop to a shared thread before every message.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async

from jobs.live.closing import FORBIDDEN, GOING_DOWN, SIGNED_OUT, TOO_MUCH, TOO_SLOW, Refused
from jobs.live.hub import Hub, get_hub
from jobs.live.mailbox import Batch, Mailbox, Viewer
from jobs.live.requests import Acknowledge, Pace, parse
from jobs.live.viewer import viewer_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_SOCKETS_PER_USER = 20
CREDIT = 2
"""Messages that may be under way: daphne has no back-pressure, so the browser says when it is ready for more."""

PAUSE_SECONDS = 0.1
"""Between two messages, so that a page changes at most ten times a second."""

ACKNOWLEDGE_SECONDS = 60.0
CHECK_SECONDS = 60.0


async def live_socket(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application behind /live/. Expects the user and the session in the scope."""
    await LiveSocket(scope, receive, send, get_hub()).serve()


class LiveSocket:
    """The life of one socket. Whatever ends it, the browser is told why by a close code."""

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send, hub: Hub) -> None:
        self.user = scope.get("user")
        self.session_key: str | None = getattr(scope.get("session"), "session_key", None)
        self.receive, self.send, self.hub = receive, send, hub
        self.credit = asyncio.BoundedSemaphore(CREDIT)
        self.pace = Pace()

    async def serve(self) -> None:
        await self.receive()  # websocket.connect
        # Closing before accepting would reach the browser as 1006, which says nothing.
        await self.send({"type": "websocket.accept"})
        try:
            await self._serve_viewer()
        except Refused as refused:
            await self._close(refused.code)
        except asyncio.CancelledError:  # daphne does that when it is told to stop
            await self._close(GOING_DOWN)

    async def _serve_viewer(self) -> None:
        if self.user is None or not self.user.is_authenticated:
            raise Refused(SIGNED_OUT)
        viewer = await self._identify()
        if self.hub.sockets_of(viewer.user_id) >= MAX_SOCKETS_PER_USER:
            raise Refused(TOO_MUCH)
        mailbox = Mailbox(viewer)
        self.hub.open(mailbox)
        try:
            await first_to_end(self._hear(mailbox), self._tell(mailbox), self._keep_checking(mailbox))
        finally:
            self.hub.discard(mailbox)

    async def _identify(self) -> Viewer:
        viewer: Viewer = await database_sync_to_async(viewer_of)(self.session_key)
        if not viewer.kinds:
            raise Refused(FORBIDDEN)
        return viewer

    async def _hear(self, mailbox: Mailbox) -> None:
        """What the browser says, until it goes."""
        while (message := await self.receive())["type"] != "websocket.disconnect":
            self.pace.count()
            request = parse(message.get("text"), mailbox.viewer.kinds)
            if isinstance(request, Acknowledge):
                self._acknowledged()
            else:
                mailbox.watch(request.watched, request.lists)
                # Not hearing: until the next resync the page has to ask by itself.
                await self._send_json({"type": "watching", "hearing": self.hub.ready.is_set()})

    def _acknowledged(self) -> None:
        with suppress(ValueError):  # more than was sent gives no more credit
            self.credit.release()

    async def _tell(self, mailbox: Mailbox) -> None:
        """What has changed, as fast as the browser keeps up."""
        while True:
            batch = await mailbox.take()
            if batch.closing:
                raise Refused(GOING_DOWN)
            await self._gain_credit()
            await self._send_json(as_message(batch))
            await asyncio.sleep(PAUSE_SECONDS)

    async def _gain_credit(self) -> None:
        """Mostly there is some: then without the task and the timer that waiting costs a thousand sockets at once."""
        if not self.credit.locked():
            await self.credit.acquire()
            return
        try:
            await asyncio.wait_for(self.credit.acquire(), ACKNOWLEDGE_SECONDS)
        except TimeoutError:
            raise Refused(TOO_SLOW) from None

    async def _keep_checking(self, mailbox: Mailbox) -> None:
        """A socket outlives a logout, so the session and the rights behind it are read again now and then."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            mailbox.viewer = await self._identify()

    async def _send_json(self, message: dict[str, Any]) -> None:
        await self.send({"type": "websocket.send", "text": json.dumps(message, separators=(",", ":"))})

    async def _close(self, code: int) -> None:
        await self.send({"type": "websocket.close", "code": code})


def as_message(batch: Batch) -> dict[str, Any]:
    """What goes over the wire: codes and numbers; the page has the words."""
    return {
        "type": "resync" if batch.resync else "deaf" if batch.deaf else "changes",
        "rows": [{"kind": kind, "id": str(id), "fields": dict(fields)} for (kind, id), fields in batch.changes],
        "others": sorted(batch.others),
    }


async def first_to_end(*coroutines: Any) -> None:
    """Run together until one returns or raises; the others are cancelled and awaited, so that nothing is left."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
