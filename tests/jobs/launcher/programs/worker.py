"""Plays the worker: runs one command in each of two slots, and lets a test kill it.

    python -m tests.jobs.launcher.programs.worker [ignore-signals] [leak-sockets] < COMMAND_JSON

Prints {"launcher": pid, "holder": pid} before the runs begin, and their reasons when they are over. With
`leak-sockets` a child (the holder) keeps copies of all its sockets.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

from jobs.launcher.client import LauncherClient
from jobs.launcher.environment import basics
from jobs.launcher.wire import Request


async def work(client: LauncherClient, argv: list[str]) -> list[str]:
    request = Request(argv=argv, env=basics(os.environ), timeout_seconds=120)
    reports = await asyncio.gather(client.run(0, request), client.run(1, request))
    return [report.reason for report in reports]


def fork_holder() -> int:
    """A fork without exec has copies of every descriptor, and so keeps both ends of nothing closed."""
    pid = os.fork()
    if pid == 0:
        os.close(1)
        signal.pause()
    return pid


def main() -> None:
    argv = json.loads(sys.stdin.readline())
    if "ignore-signals" in sys.argv:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
    client = LauncherClient.start(2)
    holder = fork_holder() if "leak-sockets" in sys.argv else None
    print(json.dumps({"launcher": client.pid, "holder": holder}), flush=True)
    print(json.dumps(asyncio.run(work(client, argv))), flush=True)
    client.close()


if __name__ == "__main__":
    main()
