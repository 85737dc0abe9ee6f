"""New jobs: alone and in lists, with the type's priority, one of a key at a time, and none that no job can be."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobs import queue
from jobs.payload import PayloadRefused
from synops.store.identities import SYSTEM_COLLECTION_ID
from tests.jobs.arrange import add_worker, claim, new_job, row, set_rule, succeed

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def test_base_priority_applies_when_the_caller_gives_none(cursor):
    set_rule(cursor, "beta", base_priority=9)
    ruled, plain, given = queue.enqueue_many(cursor, [new_job("beta"), new_job(), new_job("beta", priority=0)])
    assert [row(cursor, id, "priority")[0] for id in (ruled, plain, given)] == [9, 5, 0]


def test_dedupe_key_is_unique_while_unfinished(cursor):
    first = queue.enqueue(cursor, new_job(dedupe_key="episode-1"))
    assert queue.enqueue(cursor, new_job(dedupe_key="episode-1")) is None
    assert queue.enqueue(cursor, new_job("beta", dedupe_key="episode-1")) is not None
    [job] = claim(cursor, add_worker(cursor), types=["alpha"])
    assert job.id == first
    queue.finish(cursor, [succeed(job)])
    assert queue.enqueue(cursor, new_job(dedupe_key="episode-1")) is not None


def test_what_becomes_of_a_duplicate_is_said_by_the_caller(cursor):
    first = queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 1}), "skip")
    assert queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 2}), "skip") == first
    assert row(cursor, first, "payload ->> 'n'") == ("1",)
    assert queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 3}, priority=9), "replace") == first
    assert row(cursor, first, "payload ->> 'n', priority") == ("3", 9)
    with pytest.raises(queue.DuplicateJob, match=str(first)):
        queue.enqueue_unique(cursor, new_job(dedupe_key="k"), "error")
    claim(cursor, add_worker(cursor))
    queue.enqueue_unique(cursor, new_job(dedupe_key="k", payload={"n": 4}), "replace")
    assert row(cursor, first, "payload ->> 'n'") == ("3",), "what runs keeps its payload"


@pytest.mark.parametrize(
    "payload",
    [
        {"text": "ord " * 20_000},
        {"file": "data:audio/mpeg;base64," + "A" * 5000},
        {"deep": [{"blob": "QUJD" * 2000}]},
        ["not", "an", "object"],
        {"when": datetime.now(UTC)},
    ],
    ids=["too large", "data url", "base64", "list", "no json"],
)
def test_a_payload_that_no_job_can_have_is_refused_before_anything_is_written(cursor, payload):
    with pytest.raises(PayloadRefused):
        queue.enqueue_many(cursor, [new_job(), new_job(payload=payload)])
    cursor.execute("SELECT count(*) FROM job_queue")
    assert cursor.fetchone()[0] == 0


def test_a_job_alone_is_stored_as_it_would_be_in_a_list(cursor):
    collection, later = SYSTEM_COLLECTION_ID, datetime(2031, 1, 1, tzinfo=UTC)
    fields = {
        "payload": {"tekst": "blåbær\x00"}, "max_attempts": 2, "scheduled_for": later, "dedupe_key": "k\x00",
        "run_id": None, "chain": [collection], "retry_on": "transient",
    }  # fmt: skip
    set_rule(cursor, "beta", base_priority=9)
    for job_type, more in (("alpha", {}), ("beta", {}), ("beta", {"priority": 0}), ("alpha", fields)):
        alone = queue.enqueue(cursor, new_job(job_type, **more))
        stored = row(cursor, alone, "to_jsonb(job_queue) - 'id'")
        cursor.execute("DELETE FROM job_queue")
        [listed, _] = queue.enqueue_many(cursor, [new_job(job_type, **more), new_job("heavy")])
        assert row(cursor, listed, "to_jsonb(job_queue) - 'id'") == stored
        cursor.execute("DELETE FROM job_queue")
