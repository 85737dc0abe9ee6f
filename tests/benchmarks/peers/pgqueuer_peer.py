"""pgqueuer at its best settings here: asyncpg, uvloop, batches of 1,000. It deletes finished jobs."""

from __future__ import annotations

import asyncio
import os
import struct
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries
from program import System, main
from stamps import stamp


async def connect() -> Any:
    return await asyncpg.connect(os.environ["BENCH_URL"])


class Pgqueuer(System):
    async def setup(self) -> None:
        await Queries(AsyncpgDriver(await connect())).install()

    async def open(self) -> None:
        self.connection = await connect()
        self.queries = Queries(AsyncpgDriver(self.connection))

    async def close(self) -> None:
        await self.connection.close()

    async def send(self, sent: float) -> None:
        await self.queries.enqueue("noop", struct.pack("d", sent))

    async def send_batch(self, count: int) -> None:
        await self.queries.enqueue(["noop"] * count, [struct.pack("d", 0.0)] * count, [0] * count)

    async def work(self) -> None:
        queuer = PgQueuer(AsyncpgDriver(await connect()))

        @queuer.entrypoint("noop")
        async def noop(job: Any) -> None:
            stamp(struct.unpack("d", job.payload)[0])

        await queuer.run(batch_size=1000)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    main(Pgqueuer())
