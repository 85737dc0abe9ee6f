-- The oldest undone events that may be handled now. Index: graph_events_undone; edges_once and edges_target for the settle rule.
-- A new node is given a moment to get into its collection: whoever writes node and edge in two transactions is then
-- read once, whole. Runs after the consumer's lock, as a statement of its own.
SELECT v.id, v.event, v.op, v.node_id, v.edge_id, v.payload::text, v.chain, v.created_at
FROM graph_events v
WHERE v.done_at IS NULL
  AND NOT (
      v.event = 'node.created'
      AND v.created_at > now() - make_interval(secs => %(settle)s)
      AND EXISTS (SELECT FROM nodes n WHERE n.id = v.node_id AND n.node_kind <> 'collection')
      AND NOT EXISTS (SELECT FROM edges e WHERE e.source_id = v.node_id AND e.edge_type = 'belongs_to')
      AND NOT EXISTS (SELECT FROM edges e WHERE e.target_id = v.node_id AND e.edge_type = 'has_media')
  )
ORDER BY v.id
LIMIT %(limit)s
