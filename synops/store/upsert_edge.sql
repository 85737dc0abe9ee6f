-- Index: the unique (source_id, edge_type, target_id). The UNION answers when nothing had to change.
WITH written AS (
    INSERT INTO edges AS old (id, source_id, target_id, edge_type, metadata)
    VALUES (%(id)s, %(source)s, %(target)s, %(edge_type)s, %(metadata)s::jsonb)
    ON CONFLICT (source_id, edge_type, target_id) DO UPDATE
    SET metadata = old.metadata || excluded.metadata
    WHERE NOT old.metadata @> excluded.metadata
    RETURNING id
)
SELECT id FROM written
UNION ALL
SELECT id FROM edges
WHERE source_id = %(source)s AND edge_type = %(edge_type)s AND target_id = %(target)s
LIMIT 1
