-- Indexes: edges_once (source, type, target), the primary key of nodes, transcription_segments_once (node, seq).
SELECT media.id, media.title, media.metadata::text,
       coalesce((SELECT jsonb_agg(jsonb_build_array(s.start_ms, s.end_ms, s.content) ORDER BY s.seq)
                 FROM transcription_segments s WHERE s.node_id = media.id), '[]')::text
FROM edges has
JOIN nodes media ON media.id = has.target_id AND media.node_kind = 'media'
WHERE has.source_id = %(node)s AND has.edge_type = 'has_media'
ORDER BY CASE WHEN jsonb_typeof(has.metadata -> 'order') = 'number' THEN (has.metadata ->> 'order')::numeric END
         NULLS LAST, has.created_at, media.id
