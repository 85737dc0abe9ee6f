"""The plans of the hot statements on large tables: their index, no sequential scan, bounded buffers."""

from __future__ import annotations

import json

import pytest
from django.db import connection, transaction

from jobs import queue
from jobs.queue.claiming import claim_inline_statement, claim_statement, remembering
from synops.graph.columns import new_id
from synops.store.identities import SYSTEM_COLLECTION_ID
from synops.store.sql import load
from tests.jobs.arrange import add_worker, claim, set_rule

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


FILL = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, priority, outcome, completed_at, scheduled_for)
SELECT gen_random_uuid(), %(collection)s, kind, '{}', status::job_status, priority, outcome,
       CASE WHEN outcome IS NOT NULL THEN now() END, now() + delay
FROM (VALUES ('alpha', 'completed', 5, 'succeeded', interval '0', 50000),
             ('full', 'pending', 10, NULL, interval '0', 20000),
             ('beta', 'pending', 10, NULL, interval '1 day', 20000),
             ('alpha', 'pending', 5, NULL, interval '0', 2000)) AS v (kind, status, priority, outcome, delay, n),
     LATERAL generate_series(1, v.n / %(shrink)s)
"""


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """50,000 finished jobs, 20,000 waiting behind the limit of their type, 20,000 due later, 2,000 runnable."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(FILL, {"collection": SYSTEM_COLLECTION_ID, "shrink": 1})
        cursor.execute("VACUUM ANALYZE job_queue")
        yield
        cursor.execute("TRUNCATE job_queue CASCADE")


@pytest.fixture
def large_queue(filled, db):
    with connection.cursor() as cursor:
        set_rule(cursor, "full", max_concurrent=1, base_priority=10)
        blocker = add_worker(cursor, machine="elsewhere")
        assert len(claim(cursor, blocker, slots=1, types=["full"], machine="elsewhere")) == 1
        yield cursor


def explain(cursor, statement: str, parameters: dict[str, object]) -> dict:
    """The plan of a statement that has really run, and whose effect is then undone."""
    with transaction.atomic():
        plan = explained(cursor, statement, parameters)
        transaction.set_rollback(True)
    return plan


def explained(cursor, statement: str, parameters: dict[str, object]) -> dict:
    """The plan of a statement, which has really run."""
    cursor.execute("SELECT set_config('jit', 'off', true)")
    cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
    [document] = cursor.fetchone()
    return (json.loads(document) if isinstance(document, str) else document)[0]["Plan"]


def nodes(plan: dict):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def indexes(plan: dict) -> set[str]:
    return {node["Index Name"] for node in nodes(plan) if "Index Name" in node}


def reads_whole_queue(plan: dict) -> bool:
    return any(node["Node Type"] == "Seq Scan" and node.get("Relation Name") == "job_queue" for node in nodes(plan))


def buffers(plan: dict) -> int:
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def claim_parameters(worker: object) -> dict[str, object]:
    return {
        "worker": worker,
        "machine": "here",
        "types": ["alpha", "beta", "full"],
        "slots": 3,
        "budget": 8,
        "live_call": False,
        "disk_full": False,
        "reserve_after": 60,
        **remembering(),
    }


def test_claim_is_flat_behind_a_saturated_type_and_a_future_backlog(large_queue):
    parameters = claim_parameters(add_worker(large_queue))
    explain(large_queue, claim_statement(), parameters)  # the first pass cleans up dead index entries
    plan = explain(large_queue, claim_statement(), parameters)
    assert plan["Actual Rows"] == 3 + 1, "three jobs, and what it remembers"
    assert {"job_queue_claim", "job_queue_running", "job_queue_pkey"} <= indexes(plan)
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 250


def test_the_claim_keeps_its_plan_when_statistics_are_of_an_empty_queue(large_queue):
    """A backlog comes in seconds; the statistics follow when autovacuum gets round to it."""
    parameters = claim_parameters(add_worker(large_queue))
    large_queue.execute("TRUNCATE job_queue CASCADE")
    large_queue.execute("ANALYZE job_queue")
    large_queue.execute(FILL, {"collection": SYSTEM_COLLECTION_ID, "shrink": 10})
    for statement in (claim_statement(), claim_inline_statement()):
        plan = explain(large_queue, statement, parameters)
        assert "job_queue_claim" in indexes(plan)
        assert not reads_whole_queue(plan)
        assert buffers(plan) < 300


def test_finish_finds_its_rows_by_primary_key(large_queue):
    jobs = claim(large_queue, add_worker(large_queue), types=["alpha"])
    ended = json.dumps([queue.Ended(job, "succeeded").as_json() for job in jobs])
    plan = explain(large_queue, load("jobs.sql", "finish"), {"ended": ended})
    assert "job_queue_pkey" in indexes(plan)
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 500


def inline_batch(cursor):
    worker = add_worker(cursor)
    return worker, queue.claim_inline(cursor, worker_id=worker, types=["alpha"])


def test_an_inline_batch_is_claimed_within_a_few_pages_a_job(large_queue):
    parameters = {**claim_parameters(add_worker(large_queue)), "types": ["alpha"], "slots": queue.INLINE_BATCH}
    plan = explain(large_queue, claim_inline_statement(), parameters)
    assert plan["Actual Rows"] == queue.INLINE_BATCH + 1, "the jobs, and what it remembers"
    assert "job_queue_claim" in indexes(plan)
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 30 * queue.INLINE_BATCH


IN_LINE = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, priority, order_key, created_at, scheduled_for)
SELECT gen_random_uuid(), %(collection)s, 'line', '{}', 5, CASE WHEN alone THEN 'k' || n ELSE 'busy' END,
       moment + n * interval '1 ms', moment + n * interval '1 ms'
FROM (VALUES (false, 10000, now() - interval '2 hours'), (true, 100, now() - interval '1 hour')) AS v (alone, count, moment),
     LATERAL generate_series(1, v.count) AS n
"""


def test_an_inline_claim_looks_once_behind_a_long_backlog_of_one_order_key(large_queue):
    """Only the first of the ten thousand may start. Whether a row is the first is asked once for the key, not once a row."""
    large_queue.execute(IN_LINE, {"collection": SYSTEM_COLLECTION_ID})
    large_queue.execute("ANALYZE job_queue")
    parameters = {**claim_parameters(add_worker(large_queue)), "types": ["line"], "slots": 50}
    plan = explain(large_queue, claim_inline_statement(), parameters)
    assert plan["Actual Rows"] == 50 + 1, "one of the key, the others behind it, and what it remembers"
    assert {"job_queue_claim", "job_queue_order"} <= indexes(plan)
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 3_000
    large_queue.execute("DELETE FROM job_queue WHERE order_key <> 'busy'")
    plan = explain(large_queue, claim_inline_statement(), parameters)
    assert plan["Actual Rows"] == 1 + 1
    assert buffers(plan) < 1_000


def test_an_inline_batch_is_finished_in_place(large_queue):
    worker, jobs = inline_batch(large_queue)
    parameters = {
        "worker": worker,
        "ids": [job.id for job in jobs],
        "leases": [1] * len(jobs),
        "results": str([1] * 200),
    }
    plan = explain(large_queue, load("jobs.sql", "finish_inline"), parameters)
    assert plan["Actual Rows"] == len(jobs) == queue.INLINE_BATCH
    assert "job_queue_pkey" in indexes(plan)
    assert any(node["Node Type"] == "Tid Scan" for node in nodes(plan))
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 30 * queue.INLINE_BATCH


@pytest.mark.parametrize(
    ("name", "parameters", "index"),
    [
        ("rescue", {"ttl": 30, "cap": 3, "batch": 500}, "job_queue_running"),
        ("cancel", {"ids": [new_id()]}, "job_queue_pkey"),
        ("retry", {"ids": [new_id()]}, "job_queue_pkey"),
        ("cancelling", {"worker": new_id()}, "job_queue_running"),
    ],
)
def test_other_statements_touch_no_more_than_their_rows(large_queue, name, parameters, index):
    plan = explain(large_queue, load("jobs.sql", name), parameters)
    assert index in indexes(plan)
    assert not reads_whole_queue(plan)
    assert buffers(plan) < 300
