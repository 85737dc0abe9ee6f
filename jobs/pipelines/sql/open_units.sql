-- Opens the first generation of units that have none; several selections may do so at once, and one of them wins.
-- Index: pipeline_generations_once.
INSERT INTO pipeline_generations (pipeline, unit, generation, collection_node_id, cause, priority)
SELECT n.pipeline, n.unit, 1, n.collection, n.cause, n.priority
FROM jsonb_to_recordset(%(units)s::jsonb) AS n (pipeline text, unit text, collection uuid, cause text, priority smallint)
WHERE NOT EXISTS (SELECT FROM pipeline_generations g WHERE g.pipeline = n.pipeline AND g.unit = n.unit)
ORDER BY n.pipeline, n.unit  -- two that insert the same units in different orders would deadlock
ON CONFLICT DO NOTHING
RETURNING pipeline, unit
