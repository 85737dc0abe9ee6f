-- A tool's node and its place in the system collection. Index: nodes_pkey, edges_once.
WITH node AS (
    INSERT INTO nodes (id, node_kind, title, metadata)
    VALUES (%(id)s, 'cli_tool', %(title)s, %(metadata)s::jsonb)
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, metadata = excluded.metadata
    RETURNING id
)
INSERT INTO edges (id, source_id, target_id, edge_type)
SELECT gen_random_uuid(), node.id, %(collection)s, 'belongs_to' FROM node
ON CONFLICT DO NOTHING
