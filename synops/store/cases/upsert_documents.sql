-- What was known of a document's content holds only as long as its bytes are the same. Index: case_documents_once.
INSERT INTO case_documents AS known (case_id, key, position, name, size, changed_at, cas_hash, extractor)
SELECT %(number)s, line.key, line.position, line.name, line.size, line.changed_at, line.cas_hash, line.extractor
FROM jsonb_to_recordset(%(lines)s::jsonb) AS line (
    key text, position integer, name text, size bigint, changed_at text, cas_hash text, extractor text)
ON CONFLICT (case_id, key) DO UPDATE
SET position = EXCLUDED.position, name = EXCLUDED.name, size = EXCLUDED.size, changed_at = EXCLUDED.changed_at,
    cas_hash = EXCLUDED.cas_hash, extractor = EXCLUDED.extractor, fetched_at = now(),
    kind = CASE WHEN (known.cas_hash, known.extractor) = (EXCLUDED.cas_hash, EXCLUDED.extractor) THEN known.kind ELSE '' END,
    warning = CASE WHEN (known.cas_hash, known.extractor) = (EXCLUDED.cas_hash, EXCLUDED.extractor)
                   THEN known.warning ELSE '' END
WHERE (known.position, known.name, known.size, known.changed_at, known.cas_hash, known.extractor)
      IS DISTINCT FROM (EXCLUDED.position, EXCLUDED.name, EXCLUDED.size, EXCLUDED.changed_at, EXCLUDED.cas_hash,
                        EXCLUDED.extractor)
