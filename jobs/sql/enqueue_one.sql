-- As enqueue.sql, for one job without an order_key: most jobs are enqueued alone, and reading a list of one costs a fifth
-- of the statement. Indexes: job_dedupe_unfinished, and the rules' own by job type.
INSERT INTO job_queue (
    id, collection_node_id, job_type, payload, priority, max_attempts, scheduled_for, dedupe_key, run_id, chain, retry_on
)
VALUES (
    %(id)s::uuid, %(collection)s::uuid, %(job_type)s::text, %(payload)s::jsonb,
    coalesce(%(priority)s::smallint,
             (SELECT r.base_priority FROM job_priority_rules r WHERE r.job_type = %(job_type)s::text), 5),
    %(max_attempts)s::smallint, coalesce(%(scheduled_for)s::timestamptz, now()), %(dedupe_key)s::text, %(run_id)s::uuid,
    %(chain)s::uuid[], %(retry_on)s::text
)
ON CONFLICT (job_type, dedupe_key)
    WHERE dedupe_key IS NOT NULL AND status IN ('pending', 'retry', 'running')
    DO NOTHING
RETURNING id
