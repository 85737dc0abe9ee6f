-- Generations that are over. Index: pipeline_generations_once.
UPDATE pipeline_generations g
SET state = e.state, reason = e.reason, finished_at = now()
FROM jsonb_to_recordset(%(ended)s::jsonb) AS e (pipeline text, unit text, generation int, state text, reason text)
WHERE g.pipeline = e.pipeline AND g.unit = e.unit AND g.generation = e.generation AND g.state = 'running'
