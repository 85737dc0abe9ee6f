"""Lets old jobs and logs go, an hour apart, a batch at a time, so that nothing else ever waits for it."""

from __future__ import annotations

import asyncio
import logging

import psycopg

from jobs import retention
from jobs.worker.lane import DatabaseAway, Lane
from jobs.worker.options import Options

logger = logging.getLogger(__name__)

EVERY_SECONDS = 3600.0
BETWEEN_BATCHES_SECONDS = 0.2


class Pruner:
    """One of the worker's keepers."""

    def __init__(self, lane: Lane, options: Options) -> None:
        self._lane = lane
        self._ages = retention.Ages(options.job_retention_days, options.log_retention_days)

    async def run(self) -> None:
        """Prune until cancelled; first a while after the start, which must not depend on how much there is."""
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            try:
                await self.prune()
            except (DatabaseAway, psycopg.Error) as error:
                logger.warning("nothing pruned: %s", error)

    async def prune(self) -> int:
        """Everything that is old now; how many rows went."""
        total = 0
        while gone := await self._lane.call(retention.expire_batch, self._ages):
            total += gone
            await asyncio.sleep(BETWEEN_BATCHES_SECONDS)
        if total:
            logger.info("%d old rows pruned", total)
        return total
