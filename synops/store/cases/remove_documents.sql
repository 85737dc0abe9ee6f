-- Documents that the source lists no more. NOT IN is hashed: an array would be walked through for each of 10,000 documents.
-- Index: case_documents_once (case_id, key).
DELETE FROM case_documents
WHERE case_id = %(number)s
  AND key NOT IN (SELECT line.key FROM jsonb_to_recordset(%(lines)s::jsonb) AS line (key text))
