-- One event, done or not. Index: the primary key of graph_events.
SELECT id, event, op, node_id, edge_id, payload::text, chain, created_at FROM graph_events WHERE id = %(id)s
