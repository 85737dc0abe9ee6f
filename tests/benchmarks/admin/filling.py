"""Finished jobs by the million, as some weeks of work leave them: ids in the order of time, an attempt where a program ran.

What a newsroom writes row by row is written here in one statement: without triggers and foreign keys (the rows are known to
be right), and with the indexes built afterwards, which takes a third of the time that growing them takes.
"""

from __future__ import annotations

from typing import Any

FILL = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, outcome, priority, attempts, max_attempts,
                       created_at, started_at, completed_at, scheduled_for, lease)
SELECT (lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
       %(collection)s, (ARRAY['checksum', 'rss', 'render_article', 'lyd'])[1 + n %% 4],
       '{"cas_hash": "9f"}'::jsonb,
       (CASE WHEN n %% 50 = 0 THEN 'error' ELSE 'completed' END)::job_status,
       CASE WHEN n %% 50 = 0 THEN 'failed' ELSE 'succeeded' END, n %% 11, 1, 3, t, t, t + interval '3 s', t, 1
FROM (SELECT n, now() - make_interval(secs => (%(rows)s - n) * 0.5) AS t FROM generate_series(1, %(rows)s) n) made
"""
WAITING = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload)
SELECT gen_random_uuid(), %(collection)s, 'lyd', '{}'::jsonb FROM generate_series(1, %(rows)s)
"""
ATTEMPTS = """
INSERT INTO job_attempts (job_id, lease, attempt, worker_id, machine, due_at, started_at, finished_at, outcome)
SELECT id, 1, 1, (CASE WHEN early THEN %(gone)s ELSE %(worker)s END)::uuid,
       CASE WHEN early THEN 'kjelleren' ELSE 'studio' END, scheduled_for, started_at, completed_at, outcome
FROM (SELECT *, scheduled_for < now() - make_interval(secs => %(rows)s * 0.49) AS early FROM job_queue) q
WHERE job_type = 'lyd' AND outcome IS NOT NULL
"""
"""A program ran for every fourth job; of the inline rest a first try that succeeds leaves none. The first fiftieth was
done by a worker that is gone.
"""

WORKER = "01a22db7-8ca0-7680-8f90-00000000000a"
GONE = "01a22db7-8ca0-7680-8f90-00000000000b"
TABLES = ("job_queue", "job_attempts")


def fill(cursor: Any, collection: Any, rows: int) -> None:
    """Instead of what is there: `rows` finished jobs and 2,000 waiting ones, with fresh statistics, all on disk."""
    cursor.execute("SET session_replication_role = replica")
    cursor.execute("SET maintenance_work_mem = '512MB'")
    cursor.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
    indexes = without_indexes(cursor)
    cursor.execute(FILL, {"collection": collection, "rows": rows})
    cursor.execute(WAITING, {"collection": collection, "rows": 2_000})
    cursor.execute(ATTEMPTS, {"worker": WORKER, "gone": GONE, "rows": rows})
    for definition in indexes:
        cursor.execute(definition)
    cursor.execute("SET session_replication_role = origin")
    cursor.execute(f"VACUUM (ANALYZE) {', '.join(TABLES)}")
    cursor.execute("CHECKPOINT")  # else it falls into what is measured


def without_indexes(cursor: Any) -> list[str]:
    """Drop the indexes that nothing depends on; how each is made again."""
    cursor.execute(
        "SELECT format('DROP INDEX %%I', indexname), indexdef FROM pg_indexes"
        " WHERE tablename = ANY(%s) AND indexdef NOT LIKE '%%UNIQUE%%'",
        [list(TABLES)],
    )
    indexes = cursor.fetchall()
    for drop, _definition in indexes:
        cursor.execute(drop)
    return [definition for _drop, definition in indexes]
