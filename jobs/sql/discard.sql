-- Deletes dead letters and other finished jobs for good, with their attempts and logs. Index: job_queue_pkey.
DELETE FROM job_queue q
WHERE q.id = ANY(%(ids)s::uuid[]) AND q.status IN ('completed', 'error')
RETURNING q.id, q.status::text, q.outcome, q.run_id, q.collection_node_id, q.job_type
