-- How far the steps of generations have come. Runs under the lock of lock_units.sql, as a statement of its own: what
-- others committed before they let go of the lock must be seen. Never counts: one row of a kind is enough.
-- Indexes: pipeline_steps_open, pipeline_steps_once.
SELECT w.pipeline, w.unit, w.generation, w.step,
       EXISTS (
           SELECT FROM pipeline_steps s
           WHERE s.pipeline = w.pipeline AND s.unit = w.unit AND s.generation = w.generation AND s.step = w.step
       ) AS begun,
       found.unfinished,
       CASE WHEN found.unfinished THEN NULL ELSE EXISTS (
           SELECT FROM pipeline_steps s
           WHERE s.pipeline = w.pipeline AND s.unit = w.unit AND s.generation = w.generation AND s.step = w.step
             AND s.state = 'succeeded'
       ) END AS succeeded
FROM jsonb_to_recordset(%(wanted)s::jsonb) AS w (pipeline text, unit text, generation int, step text)
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM pipeline_steps s
        WHERE s.pipeline = w.pipeline AND s.unit = w.unit AND s.generation = w.generation AND s.step = w.step
          AND s.state IN ('pending', 'running', 'failed')
    ) AS unfinished
) found
