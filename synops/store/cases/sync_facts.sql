-- What was read of documents that no case has any more; a day's grace for those that are being read.
-- Index: case_documents_digest (cas_hash).
WITH facts AS (
    DELETE FROM case_facts known
    WHERE known.read_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM case_documents document WHERE document.cas_hash = known.cas_hash)
    RETURNING 1
)
SELECT 'facts removed', count(*) FROM facts
