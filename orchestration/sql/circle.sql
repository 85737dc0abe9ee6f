-- The shortest way over `triggers` edges from target back to source, as titles from source to source.
-- Index: edges_once (source, type, target). CYCLE ends the walk in circles that are there already.
WITH RECURSIVE way (node, path) AS (
    SELECT %(target)s::uuid, ARRAY[%(target)s::uuid]
    UNION ALL
    SELECT e.target_id, w.path || e.target_id
    FROM way w
    JOIN edges e ON e.source_id = w.node AND e.edge_type = 'triggers'
    WHERE w.node <> %(source)s::uuid AND cardinality(w.path) < 100
) CYCLE node SET repeated USING trail
SELECT ARRAY(
    SELECT coalesce(nullif(n.title, ''), n.id::text)
    FROM unnest(%(source)s::uuid || w.path) WITH ORDINALITY AS p (id, place)
    JOIN nodes n ON n.id = p.id
    ORDER BY p.place
)
FROM way w
WHERE w.node = %(source)s::uuid
ORDER BY cardinality(w.path)
LIMIT 1
