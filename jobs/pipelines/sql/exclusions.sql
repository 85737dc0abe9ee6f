-- Of generations that ended without a result: whether a step failed, and whether one was excluded.
-- Index: pipeline_steps_once.
SELECT w.pipeline, w.unit, w.generation,
       bool_or(s.state = 'permanently_failed'), bool_or(s.state = 'excluded')
FROM jsonb_to_recordset(%(wanted)s::jsonb) AS w (pipeline text, unit text, generation int)
JOIN pipeline_steps s USING (pipeline, unit, generation)
GROUP BY w.pipeline, w.unit, w.generation
