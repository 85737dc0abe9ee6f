"""The worker's side of pipelines: tells steps how their programs ended, at once and, where that was missed, by a sweep."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from uuid import UUID

from django.db import connection, transaction

from jobs.pipelines.registry import all_job_types
from jobs.pipelines.settling import SWEEP, settle, unheard_jobs
from jobs.preparing import preparing_cursor
from jobs.queue import Changed
from jobs.side_loop import SideLoop


class Keeper(SideLoop):
    """Sweeps for steps that were not told."""

    name = "pipelines"

    async def run(self) -> None:
        """Rounds until cancelled."""
        _keepers.append(self)
        try:
            await super().run()
        finally:
            with contextlib.suppress(ValueError):
                _keepers.remove(self)

    def make_round(self) -> int:
        """Tell everything that was missed; how many steps."""
        told = 0
        while found := settle_unheard():
            told += found
            if found < SWEEP:
                break
        return told


_keepers: list[Keeper] = []


def settle_unheard() -> int:
    """One batch of steps that were not told; how many."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL jit = off")
        return settle(cursor, unheard_jobs(cursor))


def on_finished(jobs: Sequence[Changed]) -> None:
    """Jobs have ended an attempt: tell their steps. Whatever is missed here, the sweep finds."""
    types = all_job_types()
    mine: list[UUID] = [job.id for job in jobs if job.job_type in types]
    if not mine:
        return
    for keeper in _keepers:
        keeper.stir()
    with transaction.atomic(), preparing_cursor() as cursor:
        settle(cursor, mine)
