"""procrastinate running a program for each job, two at a time."""

from __future__ import annotations

from procrastinate_peer import Procrastinate, app
from program import main
from running import AT_ONCE, run_program


@app.task(name="cli")
async def cli() -> None:
    await run_program()


class ProcrastinateCli(Procrastinate):
    async def send_batch(self, count: int) -> None:
        await cli.batch_defer_async(*[{}] * count)

    async def work(self) -> None:
        async with app.open_async():
            await app.run_worker_async(concurrency=AT_ONCE, delete_jobs="never", listen_notify=True)


if __name__ == "__main__":
    main(ProcrastinateCli())
