-- Documents that the source lists no more. Index: case_documents_once (case_id, key).
DELETE FROM case_documents
WHERE case_id = %(number)s
  AND NOT key = ANY (ARRAY(SELECT line.key FROM jsonb_to_recordset(%(lines)s::jsonb) AS line (key text)))
