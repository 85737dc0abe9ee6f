"""Jobs that run inside the worker: effect and end in one transaction, a failing one alone, order kept per key."""

from __future__ import annotations

import asyncio
import threading

import pytest

from jobs import queue
from jobs.registries import Inline, InlineRefused
from jobs.worker.finisher import Finisher
from jobs.worker.inline import Contested, InlineRunner, run_batch
from jobs.worker.lane import Lane
from tests.jobs.arrange import add_worker, django_cursor, new_job, psycopg_cursor, row, set_rule
from tests.web import database_url

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def write_node(cursor, job):
    cursor.execute(
        "INSERT INTO nodes (node_kind, title) VALUES ('content', %(title)s)", {"title": job.payload["title"]}
    )
    if job.payload["title"] == "feil":
        raise ValueError("it broke")
    if job.payload["title"] == "umulig":
        raise InlineRefused("no_such_node", "that can never work")
    return {"written": job.payload["title"]}


HANDLERS = {"alpha": Inline("alpha", write_node, lambda payload: [] if "title" in payload else ["title is required"])}


@pytest.fixture
def cursor(each_cursor):
    return each_cursor


def claim_inline(cursor, **options):
    return queue.claim_inline(
        cursor, worker_id=options.pop("worker", None) or add_worker(cursor), types=["alpha"], **options
    )


def titles(cursor) -> set[str]:
    cursor.execute("SELECT title FROM nodes WHERE node_kind = 'content'")
    return {title for (title,) in cursor.fetchall()}


def test_a_failing_job_takes_back_its_own_writes_and_no_others(cursor):
    payloads = [{"title": "en"}, {"title": "feil"}, {}, {"title": "umulig"}, {"title": "to"}]
    ids = queue.enqueue_many(cursor, [new_job(payload=payload) for payload in payloads])
    run_batch(cursor, claim_inline(cursor), HANDLERS)
    assert titles(cursor) == {"en", "to"}
    assert [row(cursor, id, "status::text")[0] for id in ids] == ["completed", "retry", "error", "error", "completed"]
    cursor.execute("SELECT reason FROM job_attempts ORDER BY reason")
    assert [reason for (reason,) in cursor.fetchall()] == ["inline_error", "no_such_node", "payload_invalid"], (
        "an inline success at the first try leaves no attempt"
    )


def test_a_batch_of_which_one_job_was_taken_away_leaves_nothing_behind(cursor):
    first = queue.enqueue_many(cursor, [new_job(payload={"title": "en"}), new_job(payload={"title": "to"})])[0]
    jobs = claim_inline(cursor)
    cursor.execute("UPDATE job_queue SET lease = lease + 1 WHERE id = %(id)s", {"id": first})
    cursor.execute("SAVEPOINT whole")
    with pytest.raises(Contested):
        run_batch(cursor, jobs, HANDLERS)
    cursor.execute("ROLLBACK TO SAVEPOINT whole")
    assert titles(cursor) == set()


def test_jobs_of_one_key_run_in_the_order_in_which_they_were_enqueued(cursor):
    first, second, other = (
        queue.enqueue(cursor, new_job(order_key=key, priority=priority, payload={"title": key}))
        for key, priority in (("node:1", 1), ("node:1", 10), ("node:2", 5))
    )
    worker = add_worker(cursor)
    jobs = claim_inline(cursor, worker=worker)
    assert {job.id for job in jobs} == {first, other}, "the second of the key waits, whatever its priority"
    assert claim_inline(cursor, worker=worker) == [], "it waits while the first runs"
    run_batch(cursor, jobs, HANDLERS)
    assert [job.id for job in claim_inline(cursor, worker=worker)] == [second]


def test_a_row_in_retry_holds_its_successors_and_an_error_releases_them(cursor):
    first = queue.enqueue(cursor, new_job(order_key="k", max_attempts=2, payload={"title": "feil"}))
    second = queue.enqueue(cursor, new_job(order_key="k", payload={"title": "neste"}))
    worker = add_worker(cursor)
    run_batch(cursor, claim_inline(cursor, worker=worker), HANDLERS)
    assert row(cursor, first, "status::text") == ("retry",)
    assert claim_inline(cursor, worker=worker) == []
    cursor.execute("UPDATE job_queue SET scheduled_for = now() WHERE id = %(id)s", {"id": first})
    run_batch(cursor, claim_inline(cursor, worker=worker), HANDLERS)
    assert row(cursor, first, "status::text") == ("error",)
    assert [job.id for job in claim_inline(cursor, worker=worker)] == [second]


def test_many_of_one_key_in_one_statement_keep_their_order(cursor):
    ids = queue.enqueue_many(cursor, [new_job(order_key="k", payload={"title": str(n)}) for n in range(20)])
    cursor.execute("SELECT id FROM job_queue ORDER BY created_at, id")
    assert [id for (id,) in cursor.fetchall()] == ids


def test_type_limit_pause_and_batch_size_hold(cursor):
    queue.enqueue_many(cursor, [new_job(payload={"title": str(n)}) for n in range(queue.INLINE_BATCH + 5)])
    worker = add_worker(cursor)
    set_rule(cursor, "alpha", max_concurrent=2, cpu_weight=0)
    assert len(claim_inline(cursor, worker=worker)) == 2
    assert claim_inline(cursor, worker=worker) == []
    set_rule(cursor, "alpha", max_concurrent=0, paused=True)
    assert claim_inline(cursor, worker=worker) == []
    set_rule(cursor, "alpha", paused=False)
    assert len(claim_inline(cursor, worker=worker)) == queue.INLINE_BATCH


@pytest.mark.django_db(transaction=True)
def test_an_order_key_serialises_enqueuing_transactions():
    """The second transaction waits for the first, so order is commit order and not the order of beginning."""
    done = threading.Event()
    with psycopg_cursor() as late:
        late.execute("SELECT now()")  # this transaction begins first and enqueues last
        with django_cursor() as early:
            first = queue.enqueue(early, new_job(order_key="k", payload={"title": "en"}))
        second = queue.enqueue(late, new_job(order_key="k", payload={"title": "to"}))
        late.execute("SELECT id FROM job_queue ORDER BY created_at, id")
        assert [id for (id,) in late.fetchall()] == [first, second]
        done.set()


def test_a_result_that_is_no_json_ends_its_job_and_no_other(connect):
    """Found out when the batch is finished, not when the handler returns."""
    cursor = connect().cursor()
    ids = queue.enqueue_many(cursor, [new_job(payload={"n": n}, max_attempts=1) for n in range(3)])
    handlers = {"alpha": Inline("alpha", lambda _cursor, job: b"?" if job.payload["n"] == 1 else 1, lambda _: [])}
    asyncio.run(run_inline(cursor, handlers, [claim_committed(cursor)]))
    assert [row(cursor, id, "status::text, result::text") for id in ids] == [
        ("completed", "1"), ("error", None), ("completed", "1")
    ]  # fmt: skip


def test_what_waits_behind_the_running_batch_goes_back_when_the_worker_stops(connect):
    cursor = connect().cursor()
    first, second = (queue.enqueue(cursor, new_job(payload={"n": n})) for n in range(2))
    worker = add_worker(cursor)
    gate = threading.Event()
    batches = [claim_committed(cursor, worker=worker, limit=1) for _ in range(2)]
    handlers = {"alpha": Inline("alpha", lambda _cursor, _job: gate.wait(60), lambda _: [])}
    asyncio.run(run_inline(cursor, handlers, batches, then=gate.set))
    assert row(cursor, first, "status::text, attempts") == ("completed", 1)
    assert row(cursor, second, "status::text, attempts") == ("pending", 0)


def claim_committed(cursor, limit: int = 0, **options):
    """A batch that is claimed in a transaction of its own; `limit` jobs of the type may run in addition to those that do."""
    if limit:
        cursor.execute("SELECT count(*) FROM job_queue WHERE status = 'running'")
        set_rule(cursor, "alpha", max_concurrent=cursor.fetchone()[0] + limit)
    with cursor.connection.transaction():
        return claim_inline(cursor, **options)


async def run_inline(cursor, handlers, batches, then=lambda: None) -> None:
    """A worker's inline lane with these batches, which stops as soon as it has the last of them."""
    lane = Lane("inline", database_url())
    finisher = Finisher(lane, nobody_is_told)
    freed = asyncio.Event()
    inline = InlineRunner(lane, handlers, finisher, nobody_is_told, freed.set)
    recording = asyncio.create_task(finisher.run())
    for batch in batches:
        if not inline.has_room():
            await asyncio.wait_for(freed.wait(), 60)
        inline.start(batch)
    await asyncio.sleep(0)  # the first begins
    assert len(inline.holds()) == sum(map(len, batches))
    stopping = asyncio.create_task(inline.finished())
    await asyncio.sleep(0)  # it begins: what waits is given back before the first batch may end
    then()
    await stopping
    await asyncio.wait_for(finisher.flushed(), 60)
    recording.cancel()
    await lane.close()


async def nobody_is_told(_changed) -> None:
    """For a lane without a worker around it."""
