-- Cases that have ended a run and have no manifest, in order; excluded ones never have one. Indexes: as in fetched_cases.sql.
SELECT number FROM case_files
WHERE number > %(after)s AND state IN ('succeeded', 'permanently_failed')
  AND NOT EXISTS (SELECT FROM case_documents WHERE case_id = number)
ORDER BY number LIMIT %(most)s
