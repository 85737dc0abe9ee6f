-- Waiting jobs of pipelines that no step points at: they would be refused when their turn comes.
-- Indexes: job_queue_claim, pipeline_steps_job.
SELECT q.id, q.job_type
FROM job_queue q
WHERE q.job_type = ANY(%(types)s::text[]) AND q.status IN ('pending', 'retry')
  AND q.created_at < now() - make_interval(secs => %(stale)s)
  AND NOT EXISTS (SELECT FROM pipeline_steps s WHERE s.job_id = q.id)
LIMIT %(limit)s
