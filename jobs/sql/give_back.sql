-- Gives running jobs of a worker that is shutting down back to the queue at once: due now, no attempt burned.
-- A job whose cancel was asked for ends as cancelled. Index: job_queue_pkey.
WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(jobs)s::jsonb) AS g (id uuid, lease int, worker uuid)
),
locked AS MATERIALIZED (
    SELECT q.id, q.lease FROM job_queue q JOIN given g ON g.lease = q.lease AND g.worker = q.worker_id
    WHERE q.id = g.id AND q.status = 'running'
    FOR UPDATE OF q
),
returned AS (
    UPDATE job_queue q
    SET status = (CASE WHEN q.cancel_requested_at IS NULL THEN 'pending' ELSE 'error' END)::job_status,
        outcome = CASE WHEN q.cancel_requested_at IS NULL THEN NULL ELSE 'cancelled' END,
        completed_at = CASE WHEN q.cancel_requested_at IS NULL THEN NULL ELSE now() END,
        worker_id = NULL, attempts = greatest(q.attempts - 1, 0), interruptions = q.interruptions + 1
    FROM locked l WHERE q.id = l.id
    RETURNING q.id, q.lease, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
attempt AS (
    UPDATE job_attempts a
    SET finished_at = now(), outcome = coalesce(r.outcome, 'lost'), reason = 'shutdown'
    FROM returned r WHERE a.job_id = r.id AND a.lease = r.lease
),
wake AS (SELECT pg_notify('synops_work', '') FROM (SELECT FROM returned LIMIT 1) any_row)
SELECT r.id, r.status, r.outcome, r.run_id, r.collection_node_id, r.job_type
FROM returned r LEFT JOIN (SELECT count(*) FROM wake) woken ON true
