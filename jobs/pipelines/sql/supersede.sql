-- Closes the running generation of a unit in favour of a newer one; the jobs that its open steps were waiting for.
-- Indexes: pipeline_generations_one_running, pipeline_steps_open.
WITH old AS (
    UPDATE pipeline_generations g SET state = 'superseded', finished_at = now()
    WHERE g.pipeline = %(pipeline)s AND g.unit = %(unit)s AND g.state = 'running'
    RETURNING g.pipeline, g.unit, g.generation
)
UPDATE pipeline_steps s SET state = 'superseded', updated_at = now(), finished_at = now()
FROM old
WHERE s.pipeline = old.pipeline AND s.unit = old.unit AND s.generation = old.generation
  AND s.state IN ('pending', 'running', 'failed')
RETURNING s.job_id
