-- Recipes whose text is not the one that was compiled: written by a job, a tool or a person in psql.
-- Index: nodes_kind_created.
SELECT n.id FROM nodes n
WHERE n.node_kind = 'orchestration'
  AND n.metadata ->> 'source_hash' IS DISTINCT FROM encode(sha256(convert_to(n.content, 'UTF8')), 'hex')
ORDER BY n.id
LIMIT %(limit)s
