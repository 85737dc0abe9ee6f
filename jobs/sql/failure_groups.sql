-- The groups of failures, largest first: the end of a statement that begins with failures.sql.
SELECT md5(n.job_type || ' ' || n.error), n.job_type, n.error, count(*), min(n.completed_at), max(n.completed_at),
       (array_agg(n.id ORDER BY n.created_at DESC))[1]
FROM normal n
GROUP BY n.job_type, n.error
ORDER BY count(*) DESC, n.job_type, n.error
LIMIT 200
