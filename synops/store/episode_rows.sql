-- Indexes: edges_target (target, type, source) from the collection and to the summary, edges_once (source, type, target)
-- to the media, the primary key of nodes.
SELECT n.id, n.title, n.content, n.metadata::text, belongs.metadata::text, n.created_at, sound.metadata::text,
       coalesce(summary.content, '')
FROM edges belongs
JOIN nodes n ON n.id = belongs.source_id AND n.node_kind <> 'media'
JOIN LATERAL (
    SELECT media.metadata
    FROM edges has
    JOIN nodes media ON media.id = has.target_id AND media.node_kind = 'media'
    WHERE has.source_id = n.id AND has.edge_type = 'has_media' AND media.metadata ->> 'mime' LIKE 'audio/%%'
    ORDER BY has.metadata ->> 'role' = 'episode' DESC NULLS LAST,
             CASE WHEN jsonb_typeof(has.metadata -> 'order') = 'number' THEN (has.metadata ->> 'order')::numeric END
             NULLS LAST, has.created_at, media.id
    LIMIT 1
) sound ON true
LEFT JOIN LATERAL (
    SELECT s.content
    FROM edges tells
    JOIN nodes s ON s.id = tells.source_id
    WHERE tells.target_id = n.id AND tells.edge_type = 'summary'
    ORDER BY tells.created_at DESC, s.id
    LIMIT 1
) summary ON true
WHERE belongs.target_id = %(collection)s
  AND belongs.edge_type = 'belongs_to'
  AND (belongs.metadata ->> 'slot' IS NOT NULL
       OR (n.node_kind = 'communication' AND n.metadata ->> 'ended_at' IS NOT NULL))
ORDER BY n.id
