-- Locks generations in the order of their ids (see lock_units.sql) and says what they are. Index: its primary key.
SELECT g.pipeline, g.unit, g.generation, g.collection_node_id, g.cause, g.priority,
       EXISTS (
           SELECT FROM pipeline_steps s
           WHERE s.pipeline = g.pipeline AND s.unit = g.unit AND s.generation = g.generation
       ) AS begun
FROM pipeline_generations g
WHERE g.id = ANY(%(ids)s::bigint[]) AND g.state = 'running'
ORDER BY g.id
FOR NO KEY UPDATE OF g
