"""pgqueuer running a program for each job, two at a time, with ten jobs fetched ahead."""

from __future__ import annotations

import asyncio
from typing import Any

import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer_peer import Pgqueuer, connect
from program import main
from running import AT_ONCE, run_program


class PgqueuerCli(Pgqueuer):
    async def send_batch(self, count: int) -> None:
        await self.queries.enqueue(["cli"] * count, [None] * count, [0] * count)

    async def work(self) -> None:
        queuer = PgQueuer(AsyncpgDriver(await connect()))
        seats = asyncio.Semaphore(AT_ONCE)

        @queuer.entrypoint("cli")
        async def cli(_job: Any) -> None:
            async with seats:
                await run_program()

        await queuer.run(batch_size=10)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    main(PgqueuerCli())
