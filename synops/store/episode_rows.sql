-- Indexes: edges_target (target, type, source) from the collection, to the summary and to the versions; edges_once
-- (source, type, target) to the media; the primary key of nodes.
-- The newest version made from a recording (cleaned, converted) is what listeners get. Its transcript is its own, or
-- the recording's where no time has been cut out.
SELECT n.id, n.title, n.content, n.metadata::text, belongs.metadata::text, n.created_at, heard.metadata::text,
       coalesce(summary.content, '')
FROM edges belongs
JOIN nodes n ON n.id = belongs.source_id AND n.node_kind <> 'media'
JOIN LATERAL (
    SELECT media.id, media.metadata
    FROM edges has
    JOIN nodes media ON media.id = has.target_id AND media.node_kind = 'media'
    WHERE has.source_id = n.id AND has.edge_type = 'has_media' AND media.metadata ->> 'mime' LIKE 'audio/%%'
    ORDER BY CASE WHEN jsonb_typeof(has.metadata -> 'order') = 'number' THEN (has.metadata ->> 'order')::numeric END
             NULLS LAST, has.created_at, media.id
    LIMIT 1
) sound ON true
JOIN LATERAL (
    SELECT CASE WHEN version.metadata -> 'same_times' = 'true' AND sound.metadata ? 'transcript'
                THEN jsonb_build_object('transcript', sound.metadata -> 'transcript') || version.metadata
                ELSE version.metadata END AS metadata
    FROM (
        SELECT sound.id, 0 AS age
        UNION ALL
        SELECT made.source_id, 1
        FROM edges made WHERE made.target_id = sound.id AND made.edge_type = 'derived_from'
    ) choice
    JOIN nodes version ON version.id = choice.id AND version.metadata ->> 'mime' LIKE 'audio/%%'
    ORDER BY choice.age DESC, version.updated_at DESC, version.id
    LIMIT 1
) heard ON true
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
