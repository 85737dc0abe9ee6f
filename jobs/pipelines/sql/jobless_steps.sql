-- The steps that jobless_units.sql found, read again under their locks. Indexes: pipeline_steps_open, job_queue_pkey.
SELECT s.id, s.pipeline, s.unit, s.generation, s.collection_node_id, g.cause, g.priority,
       s.step, s.item, s.payload::text, s.attempt, s.job_id, s.state
FROM pipeline_generations g
JOIN pipeline_steps s USING (pipeline, unit, generation)
WHERE g.id = ANY(%(ids)s::bigint[]) AND g.state = 'running' AND s.state IN ('pending', 'running', 'failed')
  AND s.updated_at < now() - make_interval(secs => %(stale)s)
  AND NOT EXISTS (SELECT FROM job_queue q WHERE q.id = s.job_id)
ORDER BY s.id
