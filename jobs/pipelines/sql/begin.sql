-- Claims the steps of these jobs: those whose row points at the job, is not over, and whose generation still runs.
-- A row that runs already was interrupted (shutdown, lost worker) and goes on with the same attempt.
-- Index: pipeline_steps_job.
UPDATE pipeline_steps s
SET state = 'running', attempt = s.attempt + (s.state <> 'running')::int, updated_at = now()
FROM pipeline_generations g
WHERE s.job_id = ANY(%(jobs)s::uuid[]) AND s.state IN ('pending', 'running', 'failed')
  AND g.pipeline = s.pipeline AND g.unit = s.unit AND g.generation = s.generation AND g.state = 'running'
RETURNING s.id, s.pipeline, s.unit, s.generation, s.collection_node_id, g.cause, g.priority,
          s.step, s.item, s.payload::text, s.attempt, s.job_id
