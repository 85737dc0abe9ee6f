-- Index: nodes_media_file (metadata ->> 'cas_hash') of media nodes; then edges_once and edges_target.
SELECT media.id
FROM nodes media
WHERE media.node_kind = 'media'
  AND media.metadata ->> 'cas_hash' = %(digest)s
  AND (
      %(collection)s::uuid IS NULL
      OR EXISTS (
          SELECT FROM edges own
          WHERE own.source_id = media.id AND own.edge_type = 'belongs_to' AND own.target_id = %(collection)s::uuid
      )
      OR EXISTS (
          SELECT FROM edges has
          JOIN edges whole ON whole.source_id = has.source_id AND whole.edge_type = 'belongs_to'
          WHERE has.target_id = media.id AND has.edge_type = 'has_media' AND whole.target_id = %(collection)s::uuid
      )
  )
ORDER BY media.id
