-- Edges of one type from a node to those of a list that exist. The share lock keeps a target from going meanwhile,
-- which would end the whole transaction with a foreign key violation.
INSERT INTO edges (source_id, target_id, edge_type)
SELECT %(source)s::uuid, t.id, %(edge_type)s
FROM (SELECT n.id FROM nodes n WHERE n.id = ANY(%(targets)s::uuid[]) ORDER BY n.id FOR KEY SHARE) t
WHERE t.id <> %(source)s::uuid
ON CONFLICT (source_id, edge_type, target_id) DO NOTHING
