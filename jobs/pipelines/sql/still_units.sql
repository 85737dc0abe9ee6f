-- Running generations in which nothing is open, and nothing has happened for long: their fan-in, or their end, was missed.
-- Indexes: pipeline_generations_one_running, pipeline_steps_open, pipeline_steps_once.
SELECT g.id
FROM pipeline_generations g
WHERE g.state = 'running' AND g.created_at < now() - make_interval(secs => %(stale)s)
  AND NOT EXISTS (
      SELECT FROM pipeline_steps s
      WHERE s.pipeline = g.pipeline AND s.unit = g.unit AND s.generation = g.generation
        AND s.state IN ('pending', 'running', 'failed')
  )
  AND NOT EXISTS (
      SELECT FROM pipeline_steps s
      WHERE s.pipeline = g.pipeline AND s.unit = g.unit AND s.generation = g.generation
        AND s.updated_at >= now() - make_interval(secs => %(stale)s)
  )
ORDER BY g.id
LIMIT %(limit)s
