-- By hand: waiting jobs are not due before %(until)s. Burns no attempt. Index: job_queue_pkey.
UPDATE job_queue q SET scheduled_for = %(until)s
WHERE q.id = ANY(%(ids)s::uuid[]) AND q.status IN ('pending', 'retry')
RETURNING q.id, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
