-- Indexes: edges_once (source, type, target), edges_target (target, type, source), the primary key of nodes,
-- transcription_segments_once (node, seq). A version made from the recording (cleaned, converted) stands for it when it
-- has a transcript of its own; two transcripts of one recording would say everything twice.
SELECT told.id, told.title, told.metadata::text,
       coalesce((SELECT jsonb_agg(jsonb_build_array(s.start_ms, s.end_ms, s.content) ORDER BY s.seq)
                 FROM transcription_segments s WHERE s.node_id = told.id), '[]')::text
FROM edges has
JOIN nodes media ON media.id = has.target_id AND media.node_kind = 'media'
JOIN LATERAL (
    SELECT version.id, version.title, version.metadata
    FROM (
        SELECT media.id, 0 AS age
        UNION ALL
        SELECT made.source_id, 1
        FROM edges made WHERE made.target_id = media.id AND made.edge_type = 'derived_from'
    ) choice
    JOIN nodes version ON version.id = choice.id
    ORDER BY version.metadata ? 'transcript' DESC, choice.age DESC, version.updated_at DESC, version.id
    LIMIT 1
) told ON true
WHERE has.source_id = %(node)s AND has.edge_type = 'has_media'
ORDER BY CASE WHEN jsonb_typeof(has.metadata -> 'order') = 'number' THEN (has.metadata ->> 'order')::numeric END
         NULLS LAST, has.created_at, media.id
