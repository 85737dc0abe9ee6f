-- Indexes: nodes_cas_hash to the media; edges_once (source, type, target) to the recording that it is a version of and to
-- the collection; edges_target (target, type, source) to what it is media of.
SELECT DISTINCT file.metadata ->> 'cas_hash', episode.id, belongs.target_id,
       CASE WHEN jsonb_typeof(file.metadata -> 'duration_seconds') = 'number'
            THEN (file.metadata ->> 'duration_seconds')::float8 END
FROM nodes file
CROSS JOIN LATERAL (
    SELECT file.id
    UNION
    SELECT made.target_id FROM edges made WHERE made.source_id = file.id AND made.edge_type = 'derived_from'
) version (id)
JOIN edges has ON has.target_id = version.id AND has.edge_type = 'has_media'
JOIN nodes episode ON episode.id = has.source_id AND episode.node_kind <> 'media'
JOIN edges belongs ON belongs.source_id = episode.id AND belongs.edge_type = 'belongs_to'
JOIN nodes home ON home.id = belongs.target_id AND home.node_kind = 'collection'
WHERE file.node_kind = 'media' AND file.metadata ? 'cas_hash' AND file.metadata ->> 'cas_hash' = ANY(%(digests)s::text[])
ORDER BY 1, 2, 3
