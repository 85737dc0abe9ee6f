"""Ours, as the others are used: jobs/queue on one connection, and `manage.py runworker` with everything on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django

django.setup()

from jobs import queue  # noqa: E402 (Django must be set up first)
from jobs.queue import NewJob  # noqa: E402
from jobs.worker.lane import connect  # noqa: E402
from synops.store.identities import SYSTEM_COLLECTION_ID  # noqa: E402
from tests.benchmarks.peers.program import System, main  # noqa: E402


def job(sent: float) -> NewJob:
    return NewJob(SYSTEM_COLLECTION_ID, "bench_noop", {"sent": sent})


class Synops(System):
    def open(self) -> None:
        self.connection = connect(os.environ["DATABASE_URL"], "bench")

    def close(self) -> None:
        self.connection.close()

    def send(self, sent: float) -> None:
        queue.enqueue(self.connection.cursor(), job(sent))

    def send_batch(self, count: int) -> None:
        queue.enqueue_many(self.connection.cursor(), [job(0.0) for _ in range(count)])

    def work(self) -> None:
        manage = Path(__file__).resolve().parents[3] / "manage.py"
        os.execv(sys.executable, [sys.executable, str(manage), "runworker", "--types=bench_noop"])


if __name__ == "__main__":
    main(Synops())
