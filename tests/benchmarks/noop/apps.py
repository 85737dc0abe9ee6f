"""Registers the job type `bench_noop`, which runs inside the worker."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig

from jobs.queue import ClaimedJob
from jobs.registries import Inline, registries
from synops.store.sql import Cursor
from tests.benchmarks.peers.stamps import stamp


def run(_cursor: Cursor, job: ClaimedJob) -> Any:
    stamp(job.payload["sent"])
    return {"ok": True}


class NoopConfig(AppConfig):
    name = "tests.benchmarks.noop"
    label = "bench_noop"

    def ready(self) -> None:
        registries.register_inline(Inline("bench_noop", run, lambda payload: [] if "sent" in payload else ["no sent"]))
