"""procrastinate at its best settings here: 50 jobs at once, LISTEN/NOTIFY, finished jobs kept."""

from __future__ import annotations

import os

import procrastinate
from program import System, main
from stamps import stamp

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=os.environ["BENCH_URL"], max_size=20))


@app.task(name="noop")
async def noop(sent: float) -> None:
    stamp(sent)


class Procrastinate(System):
    async def setup(self) -> None:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()

    async def open(self) -> None:
        await app.open_async()

    async def close(self) -> None:
        await app.close_async()

    async def send(self, sent: float) -> None:
        await noop.defer_async(sent=sent)

    async def send_batch(self, count: int) -> None:
        await noop.batch_defer_async(*[{"sent": 0.0}] * count)

    async def work(self) -> None:
        async with app.open_async():
            await app.run_worker_async(concurrency=50, delete_jobs="never", listen_notify=True)


if __name__ == "__main__":
    main(Procrastinate())
