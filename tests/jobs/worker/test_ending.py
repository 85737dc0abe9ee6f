"""How jobs and workers end in odd ways: results nobody can store, a signal before anything began, a thousand jobs later."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from django.db import connection

from jobs import queue
from jobs.launcher.descendants import descendants
from jobs.models import Attempt, Job
from tests.deadline import wait_until
from tests.jobs.arrange import new_job
from tests.jobs.worker.conftest import enqueue, wait_for

SLOTS = 4

pytestmark = pytest.mark.django_db(transaction=True)

# What a result could hold that PostgreSQL refuses and nobody has thought of.
REFUSAL = """
CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'value too long for type character varying' USING ERRCODE = '22001';
END $$;
CREATE TRIGGER refuse_poison BEFORE UPDATE ON job_queue FOR EACH ROW
    WHEN (NEW.result::text LIKE '%poison%' OR NEW.error_msg LIKE '%poison%') EXECUTE FUNCTION refuse_poison();
"""


@pytest.fixture
def refusal(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute(REFUSAL)
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER refuse_poison ON job_queue; DROP FUNCTION refuse_poison")


def test_what_cannot_be_stored_fails_alone_and_without_its_own_words(refusal, tools, start_worker):
    tools.add("sound", "echo 1")
    tools.add("poisoned", "echo '\"poison\"'")
    tools.add("odd", r"""printf '{"a": "x\\u0000\\ud800y"}'; printf 'NUL \000 and 0xff \377\n' >&2""")
    jobs = [enqueue(kind) for kind in ("sound", "poisoned", "sound", "odd")]
    worker = start_worker().ready()
    for job in (jobs[0], jobs[2]):
        assert wait_for(job, "completed").result == 1
    assert wait_for(jobs[3], "completed").result == {"a": "x��y"}
    poisoned = wait_for(jobs[1], "retry")
    assert poisoned.result is None
    assert Attempt.objects.get(job=poisoned).reason == "result_not_storable"
    wait_for(enqueue("sound"), "completed")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == 0


def test_a_signal_while_it_is_still_starting_ends_it_with_0(tools, start_worker, tmp_path: Path):
    """A deploy that is taken back at once: nothing was claimed, so nothing has failed."""
    begun = tmp_path / "begun"
    (tmp_path / "slow_settings.py").write_text(
        f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(600)\n", encoding="utf-8"
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        worker = start_worker(DJANGO_SETTINGS_MODULE="slow_settings", PYTHONPATH=str(tmp_path))
        wait_until(begun.exists, "it reads its settings")
        worker.signal(number)
        assert (worker.ended(), worker.output()) == (0, "")
        begun.unlink()


def test_a_thousand_jobs_leave_nothing_behind(tools, start_worker, tmp_path: Path):
    """No descriptor, thread, zombie or temporary file more than after the first few, in worker, launcher and slots."""
    tools.add("tiny", "echo 1")
    tools.add("untidy", "touch $TMPDIR/left; (setsid sleep 600 >/dev/null 2>&1 &); echo 1")
    worker = start_worker(f"--max-concurrent={SLOTS}", SYNOPS_VAR=str(tmp_path / "var")).ready()

    def run(tiny: int, untidy: int) -> None:
        with connection.cursor() as cursor:
            queue.enqueue_many(
                cursor, [new_job("tiny") for _ in range(tiny)] + [new_job("untidy") for _ in range(untidy)]
            )
        wait_until(lambda: not Job.objects.exclude(status="completed").exists(), "all have ended", 240)

    run(40, 20)
    before = held(worker.pid, tmp_path / "var")
    run(900, 100)
    after = held(worker.pid, tmp_path / "var")
    for what, some in LAZY.items():
        assert after[what] <= before[what] + some, (before, after)
    assert Job.objects.filter(outcome="succeeded").count() == 1060


LAZY = {"descriptors": 6, "threads": 6, "below": 6}
"""What a worker may open later than its first jobs: the threads and connections of things that are seldom done."""


def held(pid: int, var: Path) -> dict[str, int]:
    """What worker, launcher and slots hold, once nothing runs: no zombie, no scratch folder, each slot there."""

    def settled() -> bool:
        below = descendants(pid)
        return (
            len(below) == 1 + SLOTS and all(one.state != "Z" for one in below) and not list((var / "scratch").iterdir())
        )

    wait_until(settled, "nothing is left of what ran")
    return {
        "descriptors": count(f"/proc/{pid}/fd"),
        "threads": count(f"/proc/{pid}/task"),
        "below": sum(count(f"/proc/{one.pid}/fd") + count(f"/proc/{one.pid}/task") for one in descendants(pid)),
    }


def count(folder: str) -> int:
    return len(list(Path(folder).iterdir()))
