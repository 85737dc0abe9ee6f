-- Claims a batch of jobs that run inside the worker: no slot, no weight. Runs right after claim_lock.sql.
-- A job with an order_key waits until no unfinished job of the key is before it; one in retry holds its successors,
-- one in error releases them. Indexes: job_queue_claim, job_queue_order, job_queue_running.
WITH RECURSIVE
open_type AS MATERIALIZED (
    SELECT t.job_type,
           CASE WHEN %(live_call)s THEN coalesce(r.livekit_priority_adj, 0) ELSE 0 END AS adjustment,
           CASE WHEN coalesce(r.max_concurrent, 0) = 0 THEN %(batch)s
                ELSE least(%(batch)s, r.max_concurrent - (
                    SELECT count(*) FROM job_queue q WHERE q.job_type = t.job_type AND q.status = 'running'
                )) END AS room
    FROM unnest(%(types)s::text[]) AS t (job_type)
    LEFT JOIN job_priority_rules r ON r.job_type = t.job_type
    WHERE NOT coalesce(r.paused, false)
      AND NOT (%(live_call)s AND coalesce(r.block_during_livekit, false))
      AND NOT (%(disk_full)s AND coalesce(r.hold_when_disk_full, false))
),
level AS (
    SELECT t.job_type, top.priority
    FROM open_type t
    CROSS JOIN LATERAL (
        SELECT q.priority FROM job_queue q
        WHERE q.job_type = t.job_type AND q.status IN ('pending', 'retry')
        ORDER BY q.priority DESC LIMIT 1
    ) top
    WHERE t.room > 0
    UNION ALL
    SELECT l.job_type, below.priority
    FROM level l
    CROSS JOIN LATERAL (
        SELECT q.priority FROM job_queue q
        WHERE q.job_type = l.job_type AND q.status IN ('pending', 'retry') AND q.priority < l.priority
        ORDER BY q.priority DESC LIMIT 1
    ) below
),
candidate AS MATERIALIZED (
    SELECT due.id, t.job_type, t.room, l.priority + t.adjustment AS rank, due.scheduled_for
    FROM level l
    JOIN open_type t USING (job_type)
    CROSS JOIN LATERAL (
        SELECT q.id, q.scheduled_for FROM job_queue q
        WHERE q.job_type = l.job_type AND q.priority = l.priority AND q.status IN ('pending', 'retry')
          AND q.scheduled_for <= now()
          AND (q.order_key IS NULL OR NOT EXISTS (
              SELECT FROM job_queue e
              WHERE e.order_key = q.order_key AND e.status IN ('pending', 'retry', 'running')
                AND (e.created_at, e.id) < (q.created_at, q.id)
          ))
        ORDER BY q.scheduled_for, q.id
        LIMIT t.room
    ) due
),
chosen AS MATERIALIZED (
    SELECT c.id FROM (
        SELECT c.*, row_number() OVER (PARTITION BY job_type ORDER BY rank DESC, scheduled_for, id) AS nth FROM candidate c
    ) c
    WHERE c.nth <= c.room
    ORDER BY c.rank DESC, c.scheduled_for, c.id
    LIMIT %(batch)s
),
locked AS MATERIALIZED (
    SELECT q.id FROM job_queue q
    WHERE q.id = ANY(ARRAY(SELECT c.id FROM chosen c)) AND q.status IN ('pending', 'retry')
    FOR UPDATE OF q SKIP LOCKED
)
UPDATE job_queue q
SET status = 'running', started_at = now(), worker_id = %(worker)s, lease = q.lease + 1, attempts = q.attempts + 1
WHERE q.id = ANY(ARRAY(SELECT l.id FROM locked l))
RETURNING q.id, q.collection_node_id, q.job_type, q.payload::text, q.lease, q.attempts, q.max_attempts, q.run_id,
          q.chain::text[], 600, NULL::int, NULL::int, NULL::int
