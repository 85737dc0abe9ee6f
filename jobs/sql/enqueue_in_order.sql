-- As enqueue.sql, for a list in which jobs have an order_key: such a job is created after the newest unfinished one of its
-- key, so that order is commit order; the caller holds the key's lock (order_lock.sql). Index: job_queue_order.
INSERT INTO job_queue (
    id, collection_node_id, job_type, payload, priority, max_attempts, scheduled_for, dedupe_key, order_key, run_id, chain,
    retry_on, created_at
)
SELECT j.id, j.collection, j.job_type, j.payload, coalesce(j.priority, r.base_priority, 5), j.max_attempts,
       coalesce(j.scheduled_for, now()), j.dedupe_key, j.order_key, j.run_id, j.chain, j.retry_on,
       CASE WHEN j.order_key IS NULL THEN now()
            ELSE greatest(now(), newest.created_at + interval '1 microsecond')
                 + (row_number() OVER (PARTITION BY j.order_key ORDER BY j.nth) - 1) * interval '1 microsecond'
       END
FROM ROWS FROM (
    jsonb_to_recordset(%(jobs)s::jsonb) AS (
        id uuid, collection uuid, job_type text, priority smallint, max_attempts smallint, scheduled_for timestamptz,
        dedupe_key text, order_key text, run_id uuid, chain uuid[], retry_on text
    ),
    jsonb_array_elements(%(payloads)s::jsonb)
) WITH ORDINALITY AS j (
    id, collection, job_type, priority, max_attempts, scheduled_for, dedupe_key, order_key, run_id, chain, retry_on,
    payload, nth
)
LEFT JOIN job_priority_rules r ON r.job_type = j.job_type
LEFT JOIN LATERAL (
    SELECT q.created_at FROM job_queue q
    WHERE q.order_key = j.order_key AND q.status IN ('pending', 'retry', 'running')
    ORDER BY q.created_at DESC, q.id DESC LIMIT 1
) newest ON true
ON CONFLICT (job_type, dedupe_key)
    WHERE dedupe_key IS NOT NULL AND status IN ('pending', 'retry', 'running')
    DO NOTHING
RETURNING id
