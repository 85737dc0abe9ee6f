-- The documents of a case that have been read, with their facts. Indexes: case_documents_once (case_id, key),
-- case_facts_once (cas_hash, extractor).
SELECT document.key, document.name, coalesce(nullif(document.kind, ''), facts.found ->> 'kind', 'unknown'),
       coalesce(facts.found -> 'facts', '{}')::text, facts.found ->> 'text_hash'
FROM case_documents document
JOIN case_facts facts ON facts.cas_hash = document.cas_hash AND facts.extractor = document.extractor
WHERE document.case_id = %(number)s
ORDER BY document.position, document.id
