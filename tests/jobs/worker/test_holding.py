"""A worker that a person asks to take no more jobs finishes what it runs, claims nothing, and goes on when asked."""

from __future__ import annotations

from django.db import connection

from resources.models import Worker
from resources.workers import drain
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, wait_for


def ask(wanted: bool) -> None:
    with connection.cursor() as cursor:
        assert drain(cursor, [Worker.objects.get(state__in=("running", "draining")).pk], wanted)


def test_it_takes_no_more_until_it_is_asked_to(tools, start_worker, tmp_path):
    tools.add("slow", f"until [ -e {tmp_path}/go ]; do :; done")
    tools.add("quick", "exit 0")
    slow = enqueue("slow")
    worker = start_worker().ready()
    wait_for(slow, "running")
    ask(True)
    wait_until(lambda: Worker.objects.filter(state="draining").exists(), "the worker says that it takes no more")
    quick = enqueue("quick")
    (tmp_path / "go").touch()
    wait_for(slow, "completed")
    wait_until(lambda: Worker.objects.filter(running=0).exists(), "a beat after the job has ended")
    quick.refresh_from_db()
    assert quick.status == "pending"
    ask(False)
    wait_for(quick, "completed")
    worker.signal(15)
    assert worker.ended() == 0
