-- Generations with an open step that is old and has no job that waits or runs (nor one whose end it has yet to hear of).
-- Index: pipeline_steps_open.
SELECT g.id
FROM pipeline_generations g
JOIN pipeline_steps s USING (pipeline, unit, generation)
WHERE g.state = 'running' AND s.state IN ('pending', 'running', 'failed')
  AND s.updated_at < now() - make_interval(secs => %(stale)s)
  AND NOT EXISTS (SELECT FROM job_queue q WHERE q.id = s.job_id)
ORDER BY g.id
LIMIT %(limit)s
