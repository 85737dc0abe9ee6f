-- Indexes: edges_target (target, type, source) from the collection; edges_once (source, type, target) to topics and
-- media; the primary key of nodes. `only` narrows it to one node.
SELECT n.id, n.title, n.content, n.metadata::text, belongs.metadata::text, belongs.created_at,
       coalesce(words.topics, '[]')::text, coalesce(files.media, '[]')::text
FROM edges belongs
JOIN nodes n ON n.id = belongs.source_id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(DISTINCT subject.title ORDER BY subject.title) AS topics
    FROM edges says
    JOIN nodes subject ON subject.id = says.target_id
    WHERE says.source_id = n.id AND says.edge_type IN ('about', 'tagged') AND subject.title <> ''
      AND says.metadata ->> 'state' IS DISTINCT FROM 'proposed'
) words ON true
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('title', media.title) || media.metadata
                     ORDER BY has.created_at, media.id) AS media
    FROM edges has
    JOIN nodes media ON media.id = has.target_id AND media.node_kind = 'media'
    WHERE has.source_id = n.id AND has.edge_type = 'has_media'
) files ON true
WHERE belongs.target_id = %(collection)s
  AND belongs.edge_type = 'belongs_to'
  AND belongs.metadata ->> 'slot' IS NOT NULL
  AND n.node_kind NOT IN ('collection', 'media', 'communication', 'person', 'orchestration', 'cli_tool', 'work_item', 'notice')
  AND (%(only)s::uuid IS NULL OR n.id = %(only)s::uuid)
ORDER BY n.id
