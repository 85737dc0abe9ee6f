-- What conditions and event variables ask about a few nodes, one row a node that exists.
-- Indexes: nodes_pkey; edges_once (source, type, target) and edges_target (target, type, source) upwards. A cycle
-- of belongs_to ends because UNION drops repeats.
WITH RECURSIVE
wanted AS (
    SELECT n.* FROM nodes n WHERE n.id = ANY(%(nodes)s::uuid[])
),
up (origin, node) AS (  -- the node and everything it belongs to; a file belongs to what it is media of
    SELECT id, id FROM wanted
    UNION
    SELECT u.origin, part.whole
    FROM up u
    CROSS JOIN LATERAL (
        SELECT e.target_id AS whole FROM edges e WHERE e.source_id = u.node AND e.edge_type = 'belongs_to'
        UNION ALL
        SELECT e.source_id FROM edges e WHERE e.target_id = u.node AND e.edge_type = 'has_media'
    ) part
),
home (origin, node, is_collection) AS (  -- the same walk, but it ends at the first collection on each way
    SELECT id, id, node_kind = 'collection' FROM wanted
    UNION
    SELECT h.origin, n.id, n.node_kind = 'collection'
    FROM home h
    CROSS JOIN LATERAL (
        SELECT e.target_id AS whole FROM edges e WHERE e.source_id = h.node AND e.edge_type = 'belongs_to'
        UNION ALL
        SELECT e.source_id FROM edges e WHERE e.target_id = h.node AND e.edge_type = 'has_media'
    ) part
    JOIN nodes n ON n.id = part.whole
    WHERE NOT h.is_collection
),
homes AS (SELECT origin, array_agg(node ORDER BY node) AS nodes FROM home WHERE is_collection GROUP BY origin),
around AS (SELECT origin, array_agg(node) AS nodes FROM up GROUP BY origin),
media AS (  -- by the edge's `order`, then in the order in which they were attached
    SELECT e.source_id AS origin,
           jsonb_agg(jsonb_build_object('id', m.id, 'cas_hash', m.metadata ->> 'cas_hash', 'mime', m.metadata ->> 'mime')
                     ORDER BY CASE WHEN jsonb_typeof(e.metadata -> 'order') = 'number'
                                   THEN (e.metadata ->> 'order')::numeric END, e.created_at, e.id) AS files
    FROM wanted w
    JOIN edges e ON e.source_id = w.id AND e.edge_type = 'has_media'
    JOIN nodes m ON m.id = e.target_id AND m.metadata ? 'cas_hash'
    GROUP BY e.source_id
),
tag AS (
    SELECT e.source_id AS origin, array_agg(lower(t.title)) AS names
    FROM wanted w
    JOIN edges e ON e.source_id = w.id AND e.edge_type = 'tagged'
    JOIN nodes t ON t.id = e.target_id
    GROUP BY e.source_id
)
SELECT w.id, w.node_kind, w.title,
       jsonb_build_object(
           'traits', w.metadata -> 'traits', 'cas_hash', w.metadata ->> 'cas_hash', 'mime', w.metadata ->> 'mime',
           'ended_at', w.metadata ->> 'ended_at', 'created_by', w.metadata ->> 'created_by', 'url', w.metadata ->> 'url',
           'scheduled_for', w.metadata ->> 'scheduled_for'
       )::text,
       coalesce(h.nodes, '{}'), a.nodes,
       coalesce(m.files, '[]')::text,
       coalesce(t.names, '{}')
FROM wanted w
JOIN around a ON a.origin = w.id
LEFT JOIN homes h ON h.origin = w.id
LEFT JOIN media m ON m.origin = w.id
LEFT JOIN tag t ON t.origin = w.id
