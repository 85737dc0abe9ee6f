-- What the system collection, the job's collection and the agent say about agents, one row each that is there.
-- Index: nodes_pkey.
SELECT CASE WHEN id = %(system)s THEN 'system' WHEN id = %(collection)s THEN 'collection' ELSE 'agent' END,
       (metadata -> 'agents')::text
FROM nodes
WHERE id IN (%(system)s, %(collection)s, %(agent)s)
