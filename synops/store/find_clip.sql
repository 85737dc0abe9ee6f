-- Indexes: nodes_research_clip_url, and edges_once for the collection. `requested` holds the addresses that led to it.
SELECT n.id
FROM nodes n
JOIN edges belongs ON belongs.source_id = n.id AND belongs.edge_type = 'belongs_to' AND belongs.target_id = %(collection)s
WHERE n.node_kind = 'research_clip' AND (n.metadata -> 'requested') @> to_jsonb(%(url)s::text)
