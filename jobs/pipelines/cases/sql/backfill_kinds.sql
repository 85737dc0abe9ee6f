-- A batch of documents without a kind, and the last id of it (null = there is none left).
-- Indexes: case_documents_kind (kind, id), case_facts_once (cas_hash, extractor).
WITH batch AS (
    SELECT id, cas_hash, extractor FROM case_documents
    WHERE kind IN ('', 'unknown') AND id > %(after)s
    ORDER BY id LIMIT %(most)s
), changed AS (
    UPDATE case_documents document
    SET kind = facts.found ->> 'kind', warning = ''
    FROM batch JOIN case_facts facts USING (cas_hash, extractor)
    WHERE document.id = batch.id AND facts.found ->> 'kind' IS NOT NULL
      AND document.kind IS DISTINCT FROM facts.found ->> 'kind'
    RETURNING 1
)
SELECT (SELECT max(id) FROM batch), (SELECT count(*) FROM changed)
