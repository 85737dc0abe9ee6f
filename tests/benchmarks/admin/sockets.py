"""From the commit of a changed row to the message in an open page, with 1, 100 and SOCKETS sockets; prints JSON.

`python -m tests.benchmarks.admin.sockets SOCKETS`
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from contextlib import ExitStack
from statistics import median, quantiles
from typing import Any

import django
import psutil

PER_USER = 20
CHANGES = 20


def main(count: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a file each, here and in the server that inherits it
    django.setup()
    from jobs.live.address import direct_conninfo
    from jobs.live.announcer import Announcer
    from tests.jobs.making import running_job
    from tests.people import make_collection, make_user
    from tests.web import web_server

    users = [make_user(f"u{number}", "jobs.view_job") for number in range(-(-count // PER_USER))]
    job = running_job(make_collection("Bench", *users))
    announcer = Announcer(direct_conninfo())
    with ExitStack() as stack:
        stack.callback(announcer.close)
        server = stack.enter_context(web_server(LOG_LEVEL="INFO"))
        sessions = [session_of(user) for user in users]
        figures = asyncio.run(measure(server, sessions, job, announcer, count))
    json.dump(figures, sys.stdout)


def session_of(user: Any) -> str:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


async def measure(server: Any, sessions: list[str], job: Any, announcer: Any, count: int) -> dict[str, Any]:
    from websockets.asyncio.client import connect

    process = psutil.Process(server.process.pid)
    sockets: list[Any] = []

    async def grow(wanted: int) -> None:
        while len(sockets) < wanted:
            headers = {"Cookie": f"sessionid={sessions[len(sockets) // PER_USER]}"}
            socket = await connect(f"ws://{server.address}/live/", additional_headers=headers, origin=server.url)
            await socket.send(json.dumps({"watch": {"job": [str(job.pk)]}, "lists": []}))
            await socket.recv()
            sockets.append(socket)

    await grow(1)
    one = await times_of(sockets, job, announcer)
    before, held = process.memory_info().rss, len(sockets)
    await grow(min(100, count))
    hundred = await times_of(sockets, job, announcer)
    if count > len(sockets):  # what the first hundred load and start is not the price of one more
        before, held = process.memory_info().rss, len(sockets)
    await grow(count)
    all_of_them = await times_of(sockets, job, announcer)
    memory = (process.memory_info().rss - before) / 1024 / max(len(sockets) - held, 1)
    return {
        "sockets": len(sockets), "one": median(one), "hundred": median(hundred), "p50": median(all_of_them),
        "p99": quantiles(all_of_them, n=100)[98], "kb_per_socket": memory,
    }  # fmt: skip


async def times_of(sockets: list[Any], job: Any, announcer: Any) -> list[float]:
    """Milliseconds from a commit to the message, for each socket and change."""
    from asgiref.sync import sync_to_async

    from jobs.models import Job

    taken: list[float] = []
    for number in range(CHANGES):
        waiting = [asyncio.ensure_future(hear(socket, number % 11)) for socket in sockets]
        await asyncio.sleep(0.3)
        await sync_to_async(Job.objects.filter(pk=job.pk).update)(priority=number % 11)
        started = time.perf_counter()
        announcer.changed("job", [job.pk])
        taken += [(heard - started) * 1000 for heard in await asyncio.gather(*waiting)]
    return taken


async def hear(socket: Any, priority: int) -> float:
    """When the socket was told of the change; every message is acknowledged, as the page does."""
    while True:
        message = json.loads(await socket.recv())
        heard = time.perf_counter()
        await socket.send('{"ack":true}')
        if any(row["fields"].get("priority") == priority for row in message.get("rows", [])):
            return heard


if __name__ == "__main__":
    main(int(sys.argv[1]))
