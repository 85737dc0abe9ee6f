-- The metadata of the nodes by which a job's voice and model are chosen. Index: nodes_pkey.
SELECT id, metadata::text FROM nodes WHERE id = ANY(%(ids)s::uuid[])
