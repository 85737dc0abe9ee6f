"""A socket's slower rules, in process: the session behind it, a browser that does not keep up, a deaf server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from jobs.live import doorkeeper
from jobs.live import socket as live_socket
from jobs.live.hub import close_hub, get_hub, hub_state
from jobs.live.mailbox import Mailbox
from synops.asgi import application
from tests.deadline import wait_until
from tests.people import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest_asyncio.fixture(autouse=True)
async def nothing_is_left() -> AsyncIterator[None]:
    yield
    await close_hub()
    await sync_to_async(connections.close_all)()


def signed_in(*permissions: str) -> tuple[User, Client]:
    user = make_user("member", *permissions)
    client = Client()
    client.force_login(user)
    return user, client


def communicator(client: Client) -> WebsocketCommunicator:
    cookie = f"sessionid={client.cookies['sessionid'].value}".encode()
    headers = [(b"cookie", cookie), (b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")]
    return WebsocketCommunicator(application, "/live/", headers)


async def connected(client: Client) -> WebsocketCommunicator:
    socket = communicator(client)
    assert await socket.connect(timeout=60) == (True, None)
    await say(socket, {"watch": {}, "lists": ["job"]})
    if not (await answer(socket, "watching"))["hearing"]:
        await answer(socket, "resync")
    return socket


async def say(socket: WebsocketCommunicator, message: Any) -> None:
    await socket.send_to(text_data=json.dumps(message))


async def answer(socket: WebsocketCommunicator, wanted: str) -> Any:
    while (message := json.loads(await socket.receive_from(10)))["type"] != wanted:
        pass
    return message


async def close_code(socket: WebsocketCommunicator) -> int:
    while (output := await socket.receive_output(10))["type"] != "websocket.close":
        pass
    return int(output["code"])


async def test_a_logout_closes_the_socket(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doorkeeper, "CHECK_SECONDS", 0.2)
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    await sync_to_async(client.logout)()
    assert await close_code(socket) == 4401


async def test_a_lost_right_closes_the_socket(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doorkeeper, "CHECK_SECONDS", 0.2)
    user, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    await sync_to_async(user.user_permissions.clear)()
    assert await close_code(socket) == 4403


async def test_a_changed_password_closes_the_socket(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doorkeeper, "CHECK_SECONDS", 0.2)
    user, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    user.set_password("another")
    await sync_to_async(user.save)()
    assert await close_code(socket) == 4401


async def test_a_browser_that_acknowledges_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live_socket, "ACKNOWLEDGE_SECONDS", 0.2)
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    (mailbox,) = get_hub().mailboxes
    telling = asyncio.create_task(keep_offering(mailbox))
    assert await close_code(socket) == 4408
    telling.cancel()


async def keep_offering(mailbox: Mailbox) -> None:
    while True:
        mailbox.offer_other("job")
        await asyncio.sleep(0)


async def test_a_deaf_server_says_so_and_its_state_can_be_seen():
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    state = hub_state()
    assert state
    assert state.name == "listening"
    (mailbox,) = get_hub().mailboxes
    mailbox.deafen()
    await answer(socket, "deaf")
    await socket.disconnect()


async def test_a_socket_costs_no_thread():
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    first = await connected(client)
    threads = threading.active_count()
    second = await connected(client)
    assert threading.active_count() == threads
    await first.disconnect()
    await second.disconnect()


async def test_a_session_that_cannot_be_read_leaves_its_pages_open(
    monkeypatch: pytest.MonkeyPatch, settings: Any, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(doorkeeper, "CHECK_SECONDS", 0.05)
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    settings.SESSION_ENGINE = "no.such.module"
    await asyncio.to_thread(wait_until, lambda: "reading a session failed" in caplog.text, "a failed look")
    (mailbox,) = get_hub().mailboxes
    mailbox.offer_other("job")
    await answer(socket, "changes")
    await socket.disconnect()


async def test_the_hub_closes_its_sockets():
    _, client = await sync_to_async(signed_in)("jobs.view_job")
    socket = await connected(client)
    await close_hub()
    assert await close_code(socket) == 4503
    assert hub_state() is None
