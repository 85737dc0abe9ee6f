-- Requeues running jobs that no live worker owns; never executes them in place. By lost heartbeat, never by run time.
-- More than %(cap)s interruptions end the job as lost: it may be what kills its worker. Index: job_queue_running.
WITH orphan AS MATERIALIZED (
    SELECT q.id FROM job_queue q
    WHERE q.status = 'running'
      AND NOT EXISTS (
          SELECT FROM workers w
          WHERE w.id = q.worker_id AND w.state IN ('running', 'draining')
            AND w.heartbeat_at >= now() - make_interval(secs => %(ttl)s)
      )
    ORDER BY q.id
    LIMIT %(batch)s
    FOR UPDATE OF q SKIP LOCKED
),
rescued AS (
    UPDATE job_queue q
    SET status = (CASE WHEN q.cancel_requested_at IS NULL AND q.interruptions < %(cap)s THEN 'pending' ELSE 'error' END
                 )::job_status,
        outcome = CASE WHEN q.cancel_requested_at IS NOT NULL THEN 'cancelled'
                       WHEN q.interruptions < %(cap)s THEN NULL ELSE 'lost' END,
        completed_at = CASE WHEN q.cancel_requested_at IS NULL AND q.interruptions < %(cap)s THEN NULL ELSE now() END,
        error_msg = CASE WHEN q.cancel_requested_at IS NULL AND q.interruptions >= %(cap)s
                         THEN 'worker_lost' ELSE q.error_msg END,
        worker_id = NULL, attempts = greatest(q.attempts - 1, 0), interruptions = q.interruptions + 1
    FROM orphan o WHERE q.id = o.id
    RETURNING q.id, q.lease, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
attempt AS (
    UPDATE job_attempts a
    SET finished_at = now(), outcome = 'lost', reason = 'worker_lost'
    FROM rescued r WHERE a.job_id = r.id AND a.lease = r.lease AND a.finished_at IS NULL
),
wake AS (SELECT pg_notify('synops_work', '') FROM (SELECT FROM rescued LIMIT 1) any_row)
SELECT r.id, r.status, r.outcome, r.run_id, r.collection_node_id, r.job_type
FROM rescued r LEFT JOIN (SELECT count(*) FROM wake) woken ON true
