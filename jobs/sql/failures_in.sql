-- The jobs of some groups of failures: the end of a statement that begins with failures.sql.
SELECT n.id FROM normal n WHERE md5(n.job_type || ' ' || n.error) = ANY(%(keys)s)
