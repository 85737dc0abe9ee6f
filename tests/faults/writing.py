"""`synops-fault-writing`: writes one row for its job, in the transaction and behind the fence that the contract asks for."""

from __future__ import annotations

from typing import Any

from synops.tools.call import Call
from synops.tools.database import writing
from synops.tools.describe import Description
from synops.tools.program import run

DESCRIPTION = Description(
    name="synops-fault-writing",
    version="1",
    description={"en": "Writes a row for its job."},
    job_types=("fault_writing",),
    database="write",
    exit_codes="sysexits",
)


def work(call: Call) -> Any:
    """Upserts by the job's id, as every writing tool does; the trigger counts what is really written."""
    assert call.job
    with writing(call) as cursor:
        cursor.execute(
            "INSERT INTO fault_writes (job_id, lease) VALUES (%s, %s) ON CONFLICT (job_id) DO NOTHING",
            [call.job.id, call.job.lease],
        )
    return {"lease": call.job.lease}


def main() -> int:
    return run(DESCRIPTION, work)
