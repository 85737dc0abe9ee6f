"""The fence: a tool's last statement before COMMIT makes sure that the job is still its own.

Between claim and commit the job may have been rescued and given to another worker. FOR SHARE holds the row until this
transaction ends, so a rescue waits for us, or we find that it came first and roll back. Nothing is written twice.
"""

from __future__ import annotations

from synops.store.sql import Cursor, load
from synops.tools.call import Job
from synops.tools.failures import TryAgain


class JobLost(TryAgain):
    """The job was rescued or cancelled meanwhile; what this run would have written is rolled back."""


def hold(cur: Cursor, job: Job) -> None:
    """Lock the job's row, or raise JobLost. Run it last: whatever follows it is outside its promise."""
    cur.execute(load("synops.tools", "fence"), {"job": job.id, "lease": job.lease, "worker": job.worker_id})
    if cur.fetchone() is None:
        raise JobLost(f"job {job.id} is no longer ours (lease {job.lease}); nothing was written")
