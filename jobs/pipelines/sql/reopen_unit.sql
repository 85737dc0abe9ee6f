-- Opens the next generation of a unit; nothing when somebody else has just done so. Index: pipeline_generations_once.
INSERT INTO pipeline_generations (pipeline, unit, generation, collection_node_id, cause, priority)
SELECT %(pipeline)s, %(unit)s,
       1 + coalesce(max(g.generation), 0), %(collection)s, %(cause)s, %(priority)s
FROM pipeline_generations g WHERE g.pipeline = %(pipeline)s AND g.unit = %(unit)s
ON CONFLICT DO NOTHING
RETURNING generation
