-- Recipes as the trigger sees them, without their steps. The condition at the end is one of the constants of library.py.
-- Indexes: nodes_active_recipes or nodes_pkey; edges_once for the arrays; tombstones_once.
SELECT n.id, n.node_kind, coalesce(n.metadata ->> 'state', ''), (n.metadata -> 'compiled' -> 'trigger')::text,
       coalesce(n.metadata -> 'observe_elsewhere' = 'true', false),
       ARRAY(SELECT e.target_id FROM edges e WHERE e.source_id = n.id AND e.edge_type = 'belongs_to'),
       ARRAY(SELECT e.target_id FROM edges e WHERE e.source_id = n.id AND e.edge_type = 'observes'),
       ARRAY(SELECT t.node_id FROM orchestration_tombstones t WHERE t.orchestration_id = n.id)
FROM nodes n
WHERE {where}
ORDER BY n.id
