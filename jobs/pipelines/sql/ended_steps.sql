-- The steps of these jobs that have not heard yet how the job's attempt ended. Runs under the lock of lock_units.sql.
-- A job in retry has failed once more; one that is pending or running has nothing to tell. Index: pipeline_steps_job.
SELECT s.id, s.pipeline, s.unit, s.generation, s.collection_node_id, g.cause, g.priority,
       s.step, s.item, s.payload::text, s.attempt, s.job_id,
       s.state, q.status::text, q.outcome, q.result::text, q.attempts < q.max_attempts, coalesce(q.error_msg, a.error),
       a.exit_code, a.reason
FROM pipeline_steps s
JOIN pipeline_generations g USING (pipeline, unit, generation)
JOIN job_queue q ON q.id = s.job_id
LEFT JOIN job_attempts a ON a.job_id = q.id AND a.lease = q.lease
WHERE s.job_id = ANY(%(jobs)s::uuid[]) AND g.state = 'running'
  AND ((s.state IN ('pending', 'running') AND q.status IN ('retry', 'completed', 'error'))
       OR (s.state = 'failed' AND q.status IN ('completed', 'error')))
ORDER BY s.id
