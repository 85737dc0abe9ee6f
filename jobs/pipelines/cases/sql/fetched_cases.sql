-- Cases with a manifest, in order; excluded ones stay as they are. Indexes: primary key, case_documents_once (case_id, key).
SELECT number FROM case_files
WHERE number > %(after)s AND state <> 'excluded'
  AND EXISTS (SELECT FROM case_documents WHERE case_id = number)
ORDER BY number LIMIT %(most)s
