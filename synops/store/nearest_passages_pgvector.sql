-- Index: embeddings_nearest_{dimensions}, which holds the vectors of so many dimensions (synops/graph/vector_index.py).
SELECT node.id, node.title, made.seq, made.content,
       1 - (made.vector::vector({dimensions}) <=> %(vector)s::real[]::vector({dimensions}))
FROM embeddings made
JOIN nodes node ON node.id = made.node_id
WHERE made.model = %(model)s AND made.dimensions = {dimensions}
  AND (
      %(collection)s::uuid IS NULL
      OR EXISTS (SELECT 1 FROM edges own
                 WHERE own.source_id = node.id AND own.edge_type = 'belongs_to' AND own.target_id = %(collection)s)
      OR EXISTS (SELECT 1 FROM edges has
                 JOIN edges own ON own.source_id = has.source_id AND own.edge_type = 'belongs_to'
                 WHERE has.target_id = node.id AND has.edge_type = 'has_media' AND own.target_id = %(collection)s)
  )
ORDER BY made.vector::vector({dimensions}) <=> %(vector)s::real[]::vector({dimensions})
LIMIT %(limit)s
