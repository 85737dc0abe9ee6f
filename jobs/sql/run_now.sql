-- By hand: waiting jobs are due now. Index: job_queue_pkey.
WITH changed AS (
    UPDATE job_queue q SET scheduled_for = now()
    WHERE q.id = ANY(%(ids)s::uuid[]) AND q.status IN ('pending', 'retry') AND q.scheduled_for > now()
    RETURNING q.id, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
),
wake AS (SELECT pg_notify('synops_work', '') FROM (SELECT FROM changed LIMIT 1) any_row)
SELECT c.id, c.status, c.outcome, c.run_id, c.collection_node_id, c.job_type
FROM changed c LEFT JOIN (SELECT count(*) FROM wake) woken ON true
