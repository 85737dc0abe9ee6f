"""Finished jobs by the million, as a year of work leaves them: indexes are dropped for the filling and built again."""

from __future__ import annotations

from typing import Any

FILL = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload, status, outcome, priority, attempts, max_attempts,
                       created_at, started_at, completed_at, scheduled_for, lease)
SELECT gen_random_uuid(), %(collection)s, (ARRAY['checksum', 'rss', 'render_article', 'lyd'])[1 + n %% 4],
       '{"cas_hash": "9f"}'::jsonb,
       (CASE WHEN n %% 50 = 0 THEN 'error' ELSE 'completed' END)::job_status,
       CASE WHEN n %% 50 = 0 THEN 'failed' ELSE 'succeeded' END, n %% 11, 1, 3, t, t, t + interval '3 s', t, 1
FROM (SELECT n, now() - make_interval(secs => (%(rows)s - n) * 0.5) AS t FROM generate_series(1, %(rows)s) n) made
"""
WAITING = """
INSERT INTO job_queue (id, collection_node_id, job_type, payload)
SELECT gen_random_uuid(), %(collection)s, 'lyd', '{}'::jsonb FROM generate_series(1, %(rows)s)
"""


def fill(cursor: Any, collection: Any, rows: int) -> None:
    """`rows` finished jobs and 2,000 waiting ones, with fresh statistics."""
    cursor.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'job_queue' AND indexdef NOT LIKE '%UNIQUE%'"
    )
    indexes = cursor.fetchall()
    for name, _definition in indexes:
        cursor.execute(f'DROP INDEX "{name}"')
    cursor.execute(FILL, {"collection": collection, "rows": rows})
    cursor.execute(WAITING, {"collection": collection, "rows": 2_000})
    for _name, definition in indexes:
        cursor.execute(definition)
    cursor.execute("VACUUM (ANALYZE) job_queue")
