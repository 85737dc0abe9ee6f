"""A thousand jobs through one whole worker leave nothing behind: no descriptor, thread, zombie, process or file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connection

from jobs import queue
from jobs.launcher.descendants import descendants
from jobs.models import Job
from jobs.queue import NewJob
from synops.store.files import FileStore
from tests.deadline import wait_until
from tests.jobs.arrange import new_job

SLOTS = 4
LAZY = 6
"""What a worker may open later than at its first jobs: threads and connections of what is seldom done."""
CALM = {"HEARTBEAT_SECONDS": "5", "WORKER_TTL_SECONDS": "60", "SWEEP_SECONDS": "2"}

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Holdings:
    """What a worker, and its launcher with its slots, hold open."""

    descriptors: int
    threads: int
    below: int

    @classmethod
    def once_nothing_runs(cls, pid: int, scratch: Path, temporary: Path) -> Holdings:
        """Waits until launcher and slots are all that is left of what ran: no zombie, no stray, no file."""

        def settled() -> bool:
            below = descendants(pid)
            no_zombie = all(process.state != "Z" for process in below)
            return len(below) == 1 + SLOTS and no_zombie and not [*scratch.iterdir(), *temporary.iterdir()]

        wait_until(settled, "nothing is left of what ran")
        below = [folder for process in descendants(pid) for folder in (f"{process.pid}/fd", f"{process.pid}/task")]
        return cls(count(f"{pid}/fd"), count(f"{pid}/task"), sum(map(count, below)))


def count(folder: str) -> int:
    return len(list(Path(f"/proc/{folder}").iterdir()))


def test_a_thousand_jobs_leave_nothing_behind(tools, start_worker, tmp_path: Path):
    """Most are forked from a preloaded tool, some executed, some leave a process and a file in their scratch folder."""
    tools.add("plain", "echo 1")
    tools.add("untidy", "touch $TMPDIR/left; (setsid sleep 600 >/dev/null 2>&1 &); echo 1")
    digest = FileStore(tmp_path / "store").put_bytes(b"a small file").digest
    (temporary := tmp_path / "tmp").mkdir()
    places = {"SYNOPS_VAR": tmp_path / "var", "STORE_DIR": tmp_path / "store", "TMPDIR": temporary}
    environment = CALM | {name: str(place) for name, place in places.items()}
    worker = start_worker(f"--max-concurrent={SLOTS}", "--types=checksum,plain,untidy", **environment).ready()

    def run(tenth: int) -> Holdings:
        jobs: list[NewJob] = [new_job("checksum", payload={"cas_hash": digest}) for _ in range(8 * tenth)]
        jobs += [new_job(kind) for kind in ("plain", "untidy") for _ in range(tenth)]
        with connection.cursor() as cursor:
            queue.enqueue_many(cursor, jobs)
        try:
            wait_until(lambda: not Job.objects.exclude(status="completed").exists(), "all have ended", 300)
        except AssertionError:
            print(Counter(Job.objects.values_list("job_type", "status", "outcome", "attempts", "error_msg")))
            raise
        return Holdings.once_nothing_runs(worker.pid, tmp_path / "var" / "scratch", temporary)

    before, after = run(10), run(100)
    assert Job.objects.filter(outcome="succeeded", attempts=1).count() == 1100
    assert after.descriptors <= before.descriptors + LAZY, (before, after)
    assert after.threads <= before.threads + LAZY, (before, after)
    assert after.below <= before.below + LAZY, (before, after)
