-- Indexes: edges_once (source, type, target) and edges_target (target, type, source).
SELECT own.target_id FROM edges own WHERE own.source_id = %(node)s AND own.edge_type = 'belongs_to'
UNION
SELECT whole.target_id
FROM edges has
JOIN edges whole ON whole.source_id = has.source_id AND whole.edge_type = 'belongs_to'
WHERE has.target_id = %(node)s AND has.edge_type = 'has_media'
ORDER BY 1
