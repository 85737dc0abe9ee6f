"""One browser's socket: says who it is, what its page shows, and gets the changes of rows that it may see.

A plain ASGI application: Channels' consumers hop to a shared thread before every message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from django.conf import settings

from jobs.live.closing import GOING_DOWN, SIGNED_OUT, TOO_MUCH, TOO_SLOW, Refused
from jobs.live.hub import Hub, get_hub
from jobs.live.mailbox import Batch, Mailbox
from jobs.live.requests import Acknowledge, Pace, parse
from jobs.live.state import as_json

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_SOCKETS_PER_USER = 20
CREDIT = 2
"""Messages that may be under way: daphne has no back-pressure, so the browser says when it is ready for more."""

ACKNOWLEDGE_SECONDS = 60.0


async def live_socket(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application behind /live/. Expects the cookies in the scope."""
    await LiveSocket(scope, receive, send, get_hub()).serve()


class LiveSocket:
    """The life of one socket. Whatever ends it, the browser is told why by a close code."""

    def __init__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send, hub: Hub) -> None:
        self.session_key: str | None = scope["cookies"].get(settings.SESSION_COOKIE_NAME)
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
        if self.session_key is None:
            raise Refused(SIGNED_OUT)
        viewer = await self.hub.doorkeeper.identify(self.session_key)
        if self.hub.sockets_of(viewer.user_id) >= MAX_SOCKETS_PER_USER:
            raise Refused(TOO_MUCH)
        mailbox = Mailbox(viewer, self.session_key)
        self.hub.open(mailbox)
        try:
            await first_to_end(self._hear(mailbox), self._tell(mailbox))
        finally:
            self.hub.discard(mailbox)

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
                await self._send(as_json({"type": "watching", "hearing": self.hub.ready.is_set()}))

    def _acknowledged(self) -> None:
        with suppress(ValueError):  # more than was sent gives no more credit
            self.credit.release()

    async def _tell(self, mailbox: Mailbox) -> None:
        """What has changed, as fast as the browser keeps up."""
        while True:
            batch = await mailbox.take()
            if batch.close_code:
                raise Refused(batch.close_code)
            await self._gain_credit()
            await self._send(as_message(batch))

    async def _gain_credit(self) -> None:
        """Mostly there is some: then without the task and the timer that waiting costs a thousand sockets at once."""
        if not self.credit.locked():
            await self.credit.acquire()
            return
        try:
            await asyncio.wait_for(self.credit.acquire(), ACKNOWLEDGE_SECONDS)
        except TimeoutError:
            raise Refused(TOO_SLOW) from None

    async def _send(self, text: str) -> None:
        await self.send({"type": "websocket.send", "text": text})

    async def _close(self, code: int) -> None:
        await self.send({"type": "websocket.close", "code": code})


def as_message(batch: Batch) -> str:
    """What goes over the wire: codes and numbers; the page has the words."""
    name = "resync" if batch.resync else "deaf" if batch.deaf else "changes"
    return f'{{"type":"{name}","rows":[{",".join(batch.changes)}],"others":{as_json(sorted(batch.others))}}}'


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
