-- Open steps of generations that are over: nothing will ever work on them. Index: pipeline_steps_open.
WITH closed AS (
    UPDATE pipeline_steps s SET state = 'superseded', updated_at = now(), finished_at = now()
    FROM pipeline_generations g
    WHERE g.pipeline = s.pipeline AND g.unit = s.unit AND g.generation = s.generation
      AND g.state <> 'running' AND s.state IN ('pending', 'running', 'failed')
      AND s.updated_at < now() - make_interval(secs => %(stale)s)
    RETURNING s.pipeline
)
SELECT pipeline, count(*) FROM closed GROUP BY pipeline
