INSERT INTO embeddings (node_id, model, seq, content, source_hash, dimensions, vector)
SELECT %(node)s, %(model)s, made.seq, made.content, %(hash)s, cardinality(made.vector), made.vector
FROM jsonb_to_recordset(%(rows)s::jsonb) AS made (seq int, content text, vector real[])
