-- Records how a batch of attempts ended, compare-and-set on (id, status, lease, worker). Index: job_queue_pkey.
-- Rows that someone else holds are skipped (the caller tries them again); rows that no longer match are stale.
WITH ended AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(ended)s::jsonb) AS e (
        id uuid, lease int, worker uuid, outcome text, permanent boolean, transient boolean, result jsonb, error text,
        reason text, exit_code int, signal smallint, killed int, cpu_seconds float8, max_rss_kb bigint,
        log_dropped_bytes bigint, progress float8, message text, retry_after int
    )
),
current AS MATERIALIZED (
    SELECT q.id, q.lease FROM job_queue q JOIN ended e ON e.lease = q.lease AND e.worker = q.worker_id
    WHERE q.id = e.id  -- not `status = 'running'`, which a row with a worker has: see finish_inline.sql
),
locked AS MATERIALIZED (
    SELECT q.id, q.lease FROM job_queue q
    WHERE q.id = ANY(ARRAY(SELECT c.id FROM current c)) AND q.worker_id IS NOT NULL
    FOR UPDATE OF q SKIP LOCKED
),
decided AS MATERIALIZED (
    SELECT e.*, q.cancel_requested_at IS NOT NULL AS cancelling, q.attempts, q.started_at,
        CASE
            WHEN q.cancel_requested_at IS NOT NULL OR e.outcome = 'cancelled' THEN 'error'
            WHEN e.outcome IN ('succeeded', 'excluded') THEN 'completed'
            WHEN e.permanent OR q.attempts >= q.max_attempts THEN 'error'
            WHEN q.retry_on = 'transient' AND NOT e.transient THEN 'error'
            ELSE 'retry'
        END AS next
    FROM locked l
    JOIN ended e USING (id, lease)
    JOIN job_queue q ON q.id = l.id
),
finished AS (
    UPDATE job_queue q
    SET status = d.next::job_status,
        worker_id = NULL,
        outcome = CASE
            WHEN d.next = 'retry' THEN NULL
            WHEN d.cancelling THEN 'cancelled'
            ELSE d.outcome
        END,
        completed_at = CASE WHEN d.next = 'retry' THEN NULL ELSE now() END,
        result = CASE WHEN d.next = 'completed' THEN d.result ELSE coalesce(d.result, q.result) END,
        error_msg = CASE WHEN d.next = 'completed' THEN NULL ELSE d.error END,
        cancel_requested_at = CASE WHEN d.next = 'error' THEN q.cancel_requested_at END,
        -- 30 s × 2^(attempts−1) (spec, jobbkø §4.4), or what the ending asks for; the jitter only adds, at most 10 %%.
        scheduled_for = CASE
            WHEN d.next = 'retry'
            THEN now() + coalesce(make_interval(secs => d.retry_after),
                                  interval '30 seconds' * power(2, least(q.attempts - 1, 12))) * (1 + random() * 0.1)
            ELSE q.scheduled_for
        END
    FROM decided d
    WHERE q.id = d.id  -- and nothing else: with `= ANY(…)` beside it, every row of a batch looked at every other
    RETURNING q.id, q.lease, q.status, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
attempt AS (
    UPDATE job_attempts a
    SET finished_at = now(),
        outcome = CASE WHEN d.cancelling THEN 'cancelled' ELSE d.outcome END,
        reason = CASE WHEN d.cancelling AND d.outcome = 'succeeded' THEN 'finished_after_cancel' ELSE d.reason END,
        error = d.error, exit_code = d.exit_code, signal = d.signal, killed = coalesce(d.killed, 0),
        cpu_seconds = d.cpu_seconds, max_rss_kb = d.max_rss_kb, log_dropped_bytes = coalesce(d.log_dropped_bytes, 0),
        progress = coalesce(d.progress, a.progress), message = coalesce(d.message, a.message)
    FROM decided d
    WHERE a.job_id = d.id AND a.lease = d.lease
),
inline_attempt AS (  -- a job that ran inside the worker has an attempt only when there is something to tell
    INSERT INTO job_attempts (job_id, lease, attempt, worker_id, started_at, finished_at, outcome, reason, error)
    SELECT d.id, d.lease, d.attempts, d.worker, d.started_at, now(),
           CASE WHEN d.cancelling THEN 'cancelled' ELSE d.outcome END,
           CASE WHEN d.cancelling AND d.outcome = 'succeeded' THEN 'finished_after_cancel' ELSE d.reason END, d.error
    FROM decided d
    WHERE (d.outcome <> 'succeeded' OR d.attempts > 1 OR d.cancelling)
      AND NOT EXISTS (SELECT FROM job_attempts a WHERE a.job_id = d.id AND a.lease = d.lease)
)
SELECT e.id, c.id IS NOT NULL AS matched, f.status::text, f.outcome, f.run_id, f.collection_node_id, f.job_type
FROM ended e
LEFT JOIN current c USING (id, lease)  -- a batch may hold results of two attempts at one job
LEFT JOIN finished f USING (id, lease)
