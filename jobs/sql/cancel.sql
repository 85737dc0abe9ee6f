-- Cancels: a waiting job ends at once; a running one is marked, and its worker stops the program. Index: job_queue_pkey.
WITH target AS MATERIALIZED (
    SELECT q.id FROM job_queue q
    WHERE q.id = ANY(%(ids)s::uuid[])
      AND (q.status IN ('pending', 'retry') OR q.status = 'running' AND q.cancel_requested_at IS NULL)
    ORDER BY q.id
    FOR UPDATE OF q
),
cancelled AS (
    UPDATE job_queue q
    SET status = (CASE WHEN q.status = 'running' THEN 'running' ELSE 'error' END)::job_status,
        outcome = CASE WHEN q.status = 'running' THEN NULL ELSE 'cancelled' END,
        completed_at = CASE WHEN q.status = 'running' THEN NULL ELSE now() END,
        error_msg = CASE WHEN q.status = 'running' THEN q.error_msg ELSE 'cancelled' END,
        cancel_requested_at = now()
    FROM target t WHERE q.id = t.id
    RETURNING q.id, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
wake AS (
    SELECT pg_notify('synops_cancel', '') FROM (SELECT FROM cancelled WHERE status = 'running' LIMIT 1) any_row
)
SELECT c.id, c.status, c.outcome, c.run_id, c.collection_node_id, c.job_type
FROM cancelled c LEFT JOIN (SELECT count(*) FROM wake) woken ON true
