"""How jobs and workers end in odd ways: results that nobody can store, a signal before anything began."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from django.db import connection

from jobs.models import Attempt, LogChunk
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

# What a result could hold that PostgreSQL refuses and nobody has thought of.
REFUSAL = """
CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'value too long for type character varying' USING ERRCODE = '22001';
END $$;
CREATE TRIGGER refuse_poison BEFORE UPDATE ON job_queue FOR EACH ROW
    WHEN (NEW.result::text LIKE '%poison%' OR NEW.error_msg LIKE '%poison%') EXECUTE FUNCTION refuse_poison();
CREATE TRIGGER refuse_poison BEFORE INSERT ON job_log FOR EACH ROW
    WHEN (NEW.text LIKE '%poison%') EXECUTE FUNCTION refuse_poison();
"""


@pytest.fixture
def refusal(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute(REFUSAL)
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION refuse_poison CASCADE")


def test_what_cannot_be_stored_fails_alone_and_without_its_own_words(refusal, tools, start_worker):
    tools.add("sound", "echo 1")
    tools.add("poisoned", "echo '\"poison\"'")
    tools.add("odd", r"""printf '{"a": "x\\u0000\\ud800y"}'; printf 'NUL \000 and 0xff \377\n' >&2""")
    tools.add("chatty", "echo poison >&2; echo 2")
    jobs = [enqueue(kind) for kind in ("sound", "poisoned", "sound", "odd", "chatty")]
    worker = start_worker().ready()
    for job in (jobs[0], jobs[2]):
        assert wait_for(job, "completed").result == 1
    assert wait_for(jobs[3], "completed").result == {"a": "x��y"}
    assert wait_for(jobs[4], "completed").result == 2  # without its log
    assert not LogChunk.objects.filter(job=jobs[4]).exists()
    assert LogChunk.objects.get(job=jobs[3]).text == "NUL \ufffd and 0xff \ufffd\n"
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
