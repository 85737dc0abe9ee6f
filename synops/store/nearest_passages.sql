-- Every vector of the collection is compared: fine for the tens of thousands that a newsroom has. For more there is
-- pgvector. Indexes: edges_target (target, type, source), embeddings_once (node, model, seq).
SELECT node.id, node.title, made.seq, made.content, alike.cosine
FROM embeddings made
JOIN nodes node ON node.id = made.node_id
CROSS JOIN LATERAL (
    SELECT sum(one * other) / nullif(sqrt(sum(one * one)) * sqrt(sum(other * other)), 0) AS cosine
    FROM unnest(made.vector, %(vector)s::real[]) AS pair (one, other)
) alike
WHERE made.model = %(model)s AND made.dimensions = {dimensions} AND alike.cosine IS NOT NULL
  AND (
      %(collection)s::uuid IS NULL
      OR EXISTS (SELECT 1 FROM edges own
                 WHERE own.source_id = node.id AND own.edge_type = 'belongs_to' AND own.target_id = %(collection)s)
      OR EXISTS (SELECT 1 FROM edges has
                 JOIN edges own ON own.source_id = has.source_id AND own.edge_type = 'belongs_to'
                 WHERE has.target_id = node.id AND has.edge_type = 'has_media' AND own.target_id = %(collection)s)
  )
ORDER BY alike.cosine DESC, node.id, made.seq
LIMIT %(limit)s
