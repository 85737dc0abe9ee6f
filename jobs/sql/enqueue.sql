-- Enqueues a list of jobs in one statement, in the caller's transaction; the insert's trigger wakes the workers.
-- A job without a priority takes its type's base priority, 5 (normal) where there is no rule.
-- A job whose dedupe_key is taken by an unfinished job of the type is left out (unique index job_dedupe_unfinished).
-- No job here has an order_key: those that do are enqueued by enqueue_in_order.sql.
INSERT INTO job_queue (
    id, collection_node_id, job_type, payload, priority, max_attempts, scheduled_for, dedupe_key, run_id, chain, retry_on
)
SELECT j.id, j.collection, j.job_type, j.payload, coalesce(j.priority, r.base_priority, 5), j.max_attempts,
       coalesce(j.scheduled_for, now()), j.dedupe_key, j.run_id, j.chain, j.retry_on
FROM ROWS FROM (
    jsonb_to_recordset(%(jobs)s::jsonb) AS (
        id uuid, collection uuid, job_type text, priority smallint, max_attempts smallint, scheduled_for timestamptz,
        dedupe_key text, run_id uuid, chain uuid[], retry_on text
    ),
    jsonb_array_elements(%(payloads)s::jsonb)
) AS j (
    id, collection, job_type, priority, max_attempts, scheduled_for, dedupe_key, run_id, chain, retry_on, payload
)
LEFT JOIN job_priority_rules r ON r.job_type = j.job_type
ON CONFLICT (job_type, dedupe_key)
    WHERE dedupe_key IS NOT NULL AND status IN ('pending', 'retry', 'running')
    DO NOTHING
RETURNING id
