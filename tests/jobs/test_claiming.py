"""What a claim remembers saves work beside old snapshots, and never breaks a limit or hides a job for good."""

from __future__ import annotations

import pytest

from jobs import queue
from jobs.queue.claiming import FULL_PASS_SECONDS, NEWS_SECONDS, ClaimMemory, claim_statement, remembering
from tests.jobs.arrange import add_worker, claim, new_job, set_rule, succeed
from tests.jobs.test_plans import buffers, claim_parameters, explained

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def memory() -> ClaimMemory:
    return ClaimMemory()


def claimed(cursor, worker, memory, **options):
    with cursor.connection.transaction():
        return claim(cursor, worker, memory=memory, **options)


def backlog(cursor, count=20, **fields):
    return queue.enqueue_many(cursor, [new_job(**fields) for _ in range(count)])


def test_a_backlog_is_drained_in_order_from_memory(cursor, memory):
    low, high = backlog(cursor, 6, priority=1), backlog(cursor, 6, priority=5)
    worker = add_worker(cursor)
    drained = []
    while jobs := claimed(cursor, worker, memory):
        queue.finish(cursor, [succeed(job) for job in jobs])
        drained += [job.id for job in jobs]
    assert drained == [*high, *low]


def test_a_slot_that_memory_leaves_free_goes_to_what_memory_did_not_know(cursor, memory):
    worker = add_worker(cursor)
    backlog(cursor, 4, priority=5)
    claimed(cursor, worker, memory)
    backlog(cursor, 1, job_type="beta", priority=10)
    assert {job.job_type for job in claimed(cursor, worker, memory)} == {"alpha", "beta"}


@pytest.mark.parametrize(("news", "seconds"), [(True, NEWS_SECONDS), (False, FULL_PASS_SECONDS)])
def test_what_comes_in_above_a_full_backlog_is_seen_within_its_time(cursor, memory, news, seconds):
    worker = add_worker(cursor)
    backlog(cursor, 20, priority=5)
    claimed(cursor, worker, memory)
    urgent = backlog(cursor, 1, priority=10)
    if news:
        memory.news()
    memory.full_pass_at -= seconds
    assert [job.id for job in claimed(cursor, worker, memory, slots=1)] == urgent


def test_memory_counts_what_other_workers_run(cursor, memory):
    set_rule(cursor, "alpha", max_concurrent=3)
    backlog(cursor)
    mine, other = add_worker(cursor), add_worker(cursor, machine="there")
    [first] = claimed(cursor, mine, memory, slots=1)
    assert len(claimed(cursor, other, None, slots=1, machine="there")) == 1
    assert len(claimed(cursor, mine, memory)) == 1, "three may run, two do"
    queue.finish(cursor, [succeed(first)])
    assert len(claimed(cursor, mine, memory)) == 1
    assert claimed(cursor, mine, memory) == []


def test_a_memory_is_forgotten_with_its_session(cursor, connect, memory):
    backlog(cursor)
    worker = add_worker(cursor)
    claimed(cursor, worker, memory)
    assert memory.floor > 0
    assert memory.heads is not None
    memory.attach(connect().info.backend_pid)
    assert (memory.floor, memory.heads) == (0, None)


def test_claim_numbers_may_pass_what_four_bytes_hold(cursor, memory):
    worker = add_worker(cursor)
    backlog(cursor, 4)
    claimed(cursor, worker, memory, slots=1)
    [number] = cursor.execute("SELECT last_value FROM job_claims").fetchone()
    cursor.execute("SELECT setval('job_claims', (2 ^ 33)::bigint)")
    try:
        jobs = claimed(cursor, worker, memory, slots=1) + claimed(cursor, worker, memory, slots=1)
        assert [len(queue.finish(cursor, [succeed(job)]).changed) for job in jobs] == [1, 1]
        assert memory.floor < 2**33, "the first of them still runs"
        assert len(claimed(cursor, worker, memory, slots=1)) == 1
    finally:
        cursor.execute("DELETE FROM job_queue")
        cursor.execute("SELECT setval('job_claims', %s)", [number])


def test_the_inline_lane_remembers_too(cursor, memory):
    backlog(cursor, queue.INLINE_BATCH + 10)
    worker = add_worker(cursor)
    sizes = []
    for _ in range(3):
        with cursor.connection.transaction():
            sizes.append(len(queue.claim_inline(cursor, worker_id=worker, types=["alpha"], memory=memory)))
    assert sizes == [queue.INLINE_BATCH, 10, 0]


def test_behind_an_old_snapshot_a_claim_from_memory_reads_no_more_than_at_the_start(cursor, connect, memory):
    """The dead entries of finished jobs can't be cleaned up while somebody may still see them."""
    backlog(cursor, 1500)
    worker = add_worker(cursor)
    cursor.execute("ANALYZE job_queue")
    reader = connect()
    with reader.transaction(force_rollback=True):
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT FROM job_queue LIMIT 1")
        cost(cursor, worker, memory)  # the first to come by marks what other tests have left as dead
        at_start = cost(cursor, worker, memory)
        for _ in range(20):
            queue.finish(cursor, [succeed(job) for job in claimed(cursor, worker, memory, slots=50, budget=50)])
        assert cost(cursor, worker, memory) <= at_start + 20
        assert cost(cursor, worker, ClaimMemory()) > at_start + 50, "or this test shows nothing"


def cost(cursor, worker, memory: ClaimMemory) -> int:
    """The buffers of a claim of three with what is remembered."""
    parameters = {**claim_parameters(worker), **remembering(memory.floor, memory.heads)}
    with cursor.connection.transaction(force_rollback=True):
        return buffers(explained(cursor, claim_statement(), parameters))
