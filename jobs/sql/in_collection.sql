-- Which of the named nodes and files lie in a collection: the collection itself, what belongs to it (through any number
-- of collections in between), who is joined to it, and the files of such nodes or of the run's earlier steps.
-- Indexes: edges_once (source), nodes_cas_hash, job_queue_run.
WITH RECURSIVE
holder AS (
    SELECT n.id AS node_id, n.id::text AS answer FROM nodes n WHERE n.id = ANY(%(nodes)s::uuid[])
    UNION ALL
    SELECT n.id, n.metadata ->> 'cas_hash' FROM nodes n WHERE n.metadata ->> 'cas_hash' = ANY(%(hashes)s::text[])
),
place (answer, node_id) AS (
    SELECT h.answer, h.node_id FROM holder h
    UNION
    SELECT h.answer, e.target_id FROM holder h JOIN edges e ON e.source_id = h.node_id
    WHERE e.edge_type IN ('member', 'owner', 'participant')
    UNION
    SELECT p.answer, e.target_id FROM place p JOIN edges e ON e.source_id = p.node_id AND e.edge_type = 'belongs_to'
)
SELECT DISTINCT p.answer FROM place p WHERE p.node_id = %(collection)s
UNION
SELECT h FROM unnest(%(hashes)s::text[]) AS h
WHERE EXISTS (
    SELECT FROM job_queue q
    WHERE q.run_id = %(run)s AND q.collection_node_id = %(collection)s AND position(h IN q.result::text) > 0
)
