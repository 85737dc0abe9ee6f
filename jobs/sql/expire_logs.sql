-- Deletes a batch of log chunks that are old enough. Looks at the oldest chunks only, by primary key, so that it costs
-- the same however much there is.
WITH oldest AS MATERIALIZED (
    SELECT l.id, l.created_at FROM job_log l ORDER BY l.id LIMIT %(batch)s
),
gone AS (
    DELETE FROM job_log l
    WHERE l.id = ANY(ARRAY(SELECT o.id FROM oldest o WHERE o.created_at < now() - make_interval(days => %(days)s)))
    RETURNING l.id
)
SELECT count(*) FROM gone
