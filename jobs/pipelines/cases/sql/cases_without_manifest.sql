-- Cases that have ended a run and have no manifest, in order; excluded ones never have one. Reads on until it has found
-- enough, which may be to the end: there are few, and it is only asked when a person runs the campaign.
SELECT number FROM case_files
WHERE number > %(after)s AND state IN ('succeeded', 'permanently_failed')
  AND NOT EXISTS (SELECT FROM case_documents WHERE case_id = number)
ORDER BY number LIMIT %(most)s
