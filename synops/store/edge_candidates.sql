-- Indexes: edges_target (target, type, source), edges_once (source, type, target). What a text of a collection can be about
-- or name, and how it is joined to the text already: an edge without `state`, or with another one, is a person's.
SELECT node.id, node.node_kind, node.title,
       (SELECT coalesce(known.metadata ->> 'state', 'drawn') FROM edges known
        WHERE known.source_id = %(node)s AND known.target_id = node.id
          AND known.edge_type = CASE node.node_kind WHEN 'topic' THEN 'about' ELSE 'mentions' END)
FROM (
    SELECT own.source_id AS id FROM edges own
    WHERE own.target_id = %(collection)s AND own.edge_type IN ('belongs_to', 'owner', 'member', 'participant')
    UNION
    SELECT said.source_id FROM edges said
    WHERE said.target_id = %(node)s AND said.edge_type = 'participant'
) near
JOIN nodes node ON node.id = near.id
WHERE node.id <> %(node)s AND node.title <> ''
  AND node.node_kind NOT IN ('cli_tool', 'orchestration', 'ai_preset', 'agent', 'notice', 'work_item', 'media', 'message', 'tag')
ORDER BY node.node_kind = 'topic' DESC, node.node_kind = 'person' DESC, node.created_at DESC, node.id
LIMIT %(limit)s
