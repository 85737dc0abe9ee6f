-- By hand: a failed job, or one that waits for its backoff, is due now. Keeps created_at; raises max_attempts when
-- they are used up. Left out: a job whose dedupe_key an unfinished job of the type has taken, or, of several given ones
-- with the same key, a newer one of them takes. Index: job_queue_pkey.
WITH newest AS (
    SELECT DISTINCT ON (q.job_type, q.dedupe_key, CASE WHEN q.dedupe_key IS NULL THEN q.id END) q.id
    FROM job_queue q
    WHERE q.id = ANY(%(ids)s::uuid[])
      AND q.status IN ('error', 'retry')
    ORDER BY q.job_type, q.dedupe_key, CASE WHEN q.dedupe_key IS NULL THEN q.id END,
             q.status = 'retry' DESC, q.created_at DESC, q.id DESC
),
target AS MATERIALIZED (
    SELECT q.id FROM job_queue q
    WHERE q.id IN (SELECT n.id FROM newest n)
      AND q.status IN ('error', 'retry')
      AND (q.dedupe_key IS NULL OR q.status = 'retry' OR NOT EXISTS (
          SELECT FROM job_queue other
          WHERE other.job_type = q.job_type AND other.dedupe_key = q.dedupe_key
            AND other.status IN ('pending', 'retry', 'running')
      ))
    ORDER BY q.id
    FOR UPDATE OF q
),
retried AS (
    UPDATE job_queue q
    SET status = 'pending', outcome = NULL, completed_at = NULL, cancel_requested_at = NULL, error_msg = NULL,
        scheduled_for = now(), interruptions = 0, max_attempts = greatest(q.max_attempts, q.attempts + 1)
    FROM target t WHERE q.id = t.id
    RETURNING q.id, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
wake AS (SELECT pg_notify('synops_work', '') FROM (SELECT FROM retried LIMIT 1) any_row)
SELECT r.id, r.status, r.outcome, r.run_id, r.collection_node_id, r.job_type
FROM retried r LEFT JOIN (SELECT count(*) FROM wake) woken ON true
