-- How the latest run of a case ended; an older run that ends late changes nothing. Index: primary key.
UPDATE case_files
SET state = %(state)s, reason = %(reason)s, generation = %(generation)s,
    decision = CASE WHEN %(state)s = 'succeeded' THEN decision ELSE '' END
WHERE number = %(number)s AND generation <= %(generation)s
