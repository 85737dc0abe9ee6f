-- Indexes: edges_target (target, type, source), the primary key of nodes, transcription_segments_once (node, seq),
-- embeddings_once (node, model, seq). What people read, and no machinery.
SELECT node.id
FROM (
    SELECT own.source_id AS id FROM edges own
    WHERE own.target_id = %(collection)s AND own.edge_type = 'belongs_to'
    UNION
    SELECT has.target_id FROM edges own
    JOIN edges has ON has.source_id = own.source_id AND has.edge_type = 'has_media'
    WHERE own.target_id = %(collection)s AND own.edge_type = 'belongs_to'
) member
JOIN nodes node ON node.id = member.id
WHERE node.node_kind NOT IN ('cli_tool', 'orchestration', 'ai_preset', 'agent', 'notice', 'work_item')
  AND (node.content <> '' OR EXISTS (SELECT 1 FROM transcription_segments said WHERE said.node_id = node.id))
  AND NOT EXISTS (
      SELECT 1 FROM embeddings made
      WHERE made.node_id = node.id AND made.model = %(model)s AND made.created_at >= node.updated_at
  )
ORDER BY node.id
LIMIT %(limit)s
