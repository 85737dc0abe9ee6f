"""A worker runs jobs: the contract of stdout, stderr and exit codes, seen from the queue."""

from __future__ import annotations

import json

import pytest

from jobs.models import Attempt, LogChunk
from resources.models import PriorityRule, Worker
from tests.deadline import wait_until
from tests.jobs.worker.conftest import enqueue, wait_for


def test_a_job_runs_in_a_slot_and_its_result_log_and_command_are_kept(tools, start_worker):
    tools.add(
        "greet",
        'echo "leser blåbær" >&2; echo \'{"progress": 0.5, "message": "halvveis"}\' >&2; '
        'printf \'{"hei": "%s"}\' "${1#--name=}"',
        params=[{"name": "name", "type": "string"}],
    )
    job = enqueue("greet", payload={"name": "--help $(id) 'æøå'"})
    start_worker("--drain").ended()
    job.refresh_from_db()
    assert (job.status, job.result) == ("completed", {"hei": "--help $(id) 'æøå'"})
    attempt = Attempt.objects.get(job=job)
    assert attempt.argv == [str(tools.folder / "synops-greet"), "--name=--help $(id) 'æøå'"]
    assert (attempt.outcome, attempt.exit_code, attempt.progress, attempt.message) == ("succeeded", 0, 0.5, "halvveis")
    text = "".join(LogChunk.objects.filter(job=job).values_list("text", flat=True))
    assert "leser blåbær\n" in text


@pytest.mark.parametrize(
    ("script", "reason", "error"),
    [
        ("echo 'fant ikke fila' >&2; exit 3", "exit_code", "fant ikke fila"),
        ("echo ikke json", "result_not_json", "ikke json\n"),
        ("echo '{\"a\":'", "result_not_json", '{"a":\n'),
        ("kill -9 $$", "out_of_memory", None),
        ("kill -11 $$", "signal", None),
        ("exit 65", "exit_code", None),
    ],
)
def test_what_a_program_does_wrong_is_a_failed_attempt_with_a_reason(tools, start_worker, script, reason, error):
    tools.add("wrong", script)
    job = enqueue("wrong")
    start_worker("--drain").ended()
    job.refresh_from_db()
    assert job.status == "retry", "65 is an ordinary failure for a program that declares no sysexits"
    attempt = Attempt.objects.get(job=job)
    assert (attempt.outcome, attempt.reason) == ("failed", reason)
    if error is not None:
        assert job.error_msg == error


@pytest.mark.parametrize(
    ("code", "status", "outcome"),
    [(65, "error", "failed"), (75, "retry", None), (77, "completed", "excluded"), (1, "retry", None)],
)
def test_declared_sysexits_mean_what_they_say(tools, start_worker, code, status, outcome):
    tools.add("careful", f"exit {code}", exit_codes="sysexits")
    job = enqueue("careful")
    start_worker("--drain").ended()
    job.refresh_from_db()
    assert (job.status, job.outcome) == (status, outcome)


def test_empty_output_is_null_and_binary_output_is_survived(tools, start_worker):
    tools.add("nothing", "exit 0")
    tools.add("binary", "head -c 300000 /dev/urandom >&2; printf '\"a\\000\\377b\"'")
    nothing, binary = enqueue("nothing"), enqueue("binary")
    start_worker("--drain").ended()
    nothing.refresh_from_db()
    binary.refresh_from_db()
    assert (nothing.status, nothing.result) == ("completed", None)
    assert binary.status in ("completed", "retry")
    assert Attempt.objects.get(job=binary).finished_at is not None


def test_a_flood_on_stderr_keeps_head_and_tail_and_counts_what_it_dropped(tools, start_worker):
    tools.add("flood", "echo FIRST >&2; yes 0123456789 | head -c 5000000 >&2; echo LAST >&2")
    job = enqueue("flood")
    start_worker("--drain").ended()
    text = "".join(LogChunk.objects.filter(job=job).order_by("seq").values_list("text", flat=True))
    attempt = Attempt.objects.get(job=job)
    assert text.startswith("FIRST\n")
    assert text.endswith("LAST\n")
    assert len(text.encode()) + attempt.log_dropped_bytes == 5_000_011
    assert len(text.encode()) <= 1024 * 1024


def test_timeout_is_a_visible_failed_attempt_and_leaves_no_process(tools, start_worker):
    PriorityRule.objects.create(job_type="slow", timeout_seconds=1)
    tools.add("slow", "echo startet >&2; setsid sleep 600 & trap '' TERM; sleep 600")
    job = enqueue("slow")
    start_worker("--drain").ended()
    job.refresh_from_db()
    assert (job.status, job.error_msg) == ("retry", "startet")
    attempt = Attempt.objects.get(job=job)
    assert (attempt.outcome, attempt.reason) == ("timed_out", "timed_out")
    assert attempt.killed >= 2


def test_an_invalid_payload_ends_the_job_for_good_with_the_reason(tools, start_worker):
    tools.add("strict", "exit 0", params=[{"name": "n", "type": "integer", "required": True}])
    job = enqueue("strict", payload={"n": "tre", "m": 1})
    start_worker("--drain").ended()
    job.refresh_from_db()
    assert (job.status, Attempt.objects.get(job=job).reason) == ("error", "payload_invalid")
    assert "n must be a whole number" in job.error_msg
    assert 'there is no param "m"' in job.error_msg


def test_a_program_sees_only_the_short_list_of_variables(tools, start_worker):
    tools.add(
        "env", "env -0 | tr '\\n\\000' ' \\n' | sed 's/=.*//' | sort | tr '\\n' ' ' >&2; echo; exit 1", database="read"
    )
    job = enqueue("env")
    start_worker("--drain", SECRET_KEY="x" * 60, SYNOPS_LLM_API_KEY="secret", LD_PRELOAD="").ended()
    job.refresh_from_db()
    seen = set(job.error_msg.split())
    assert {"DATABASE_URL", "SYNOPS_JOB_ID", "SYNOPS_LEASE", "SYNOPS_WORKER_ID", "SYNOPS_COLLECTION_ID"} <= seen
    assert not {"SECRET_KEY", "SYNOPS_LLM_API_KEY", "LD_PRELOAD", "PYTHONWARNINGS"} & seen


def test_only_writing_tools_get_write_and_a_writable_database(tools, start_worker):
    script = 'printf \'["%s", "%s"]\' "$*" "$DATABASE_URL"'
    for verb in ("none", "read", "write"):
        tools.add(verb, script, database=verb)
    jobs = {verb: enqueue(verb) for verb in ("none", "read", "write")}
    start_worker("--drain").ended()
    for job in jobs.values():
        job.refresh_from_db()
    assert jobs["none"].result == ["", ""]
    assert jobs["read"].result[0] == ""
    assert "default_transaction_read_only%3Don" in jobs["read"].result[1]
    assert jobs["write"].result[0] == "--write"
    assert "read_only" not in jobs["write"].result[1]


def test_drain_says_how_much_is_due_later(tools, start_worker):
    from datetime import UTC, datetime, timedelta

    tools.add("later", "exit 0")
    enqueue("later", scheduled_for=datetime.now(UTC) + timedelta(hours=1))
    worker = start_worker("--drain")
    assert worker.ended() == 0
    assert "1 due later" in worker.output()


def test_new_work_wakes_a_waiting_worker(tools, start_worker):
    tools.add("quick", "echo 1")
    start_worker("--poll-interval=3600s").ready()
    wait_until(lambda: Worker.objects.filter(listening=True), "the worker listens")
    wait_for(enqueue("quick"), "completed")


def test_a_worker_takes_only_the_types_it_is_told_to(tools, start_worker):
    tools.add("mine", "echo 1")
    tools.add("theirs", "echo 1")
    mine, theirs = enqueue("mine"), enqueue("theirs")
    start_worker("--drain", "--types=mine").ended()
    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (mine.status, theirs.status) == ("completed", "pending")


def test_a_tool_that_is_dropped_on_the_path_is_used_without_a_restart(tools, start_worker):
    start_worker().ready()
    job = enqueue("new")
    tools.add("new", "echo 1")
    wait_for(job, "completed")


def test_cancel_of_a_running_job_stops_its_program(tools, start_worker):
    from django.db import connection

    from jobs import queue

    tools.add("long", "echo i gang >&2; sleep 600")
    job = enqueue("long")
    start_worker().ready()
    wait_for(job, "running")
    with connection.cursor() as cursor:
        queue.cancel(cursor, [job.pk])
    job = wait_for(job, "error")
    assert job.outcome == "cancelled"
    assert Attempt.objects.get(job=job).outcome == "cancelled"


def test_shipped_checksum_runs_preloaded_with_the_same_contract(start_worker, tmp_path):
    from synops.store.files import FileStore

    stored = FileStore(tmp_path / "store").put_bytes("hei på deg\n".encode())
    job = enqueue("checksum", payload={"cas_hash": stored.digest})
    start_worker("--drain", STORE_DIR=str(tmp_path / "store")).ended()
    job.refresh_from_db()
    assert job.status == "completed", json.dumps(job.error_msg)
    assert (job.result["digest"], job.result["size"]) == (stored.digest, 12)
