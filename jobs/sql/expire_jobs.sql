-- Deletes a batch of finished jobs that are old enough, with attempts and logs, and keeps their counts per day.
-- Dead letters (pg_* jobs that failed) stay until somebody sends them again or discards them. Never waits for a claim:
-- rows that are held are skipped. Index: job_queue_status_created.
WITH old AS MATERIALIZED (
    SELECT q.id FROM job_queue q
    WHERE q.status = %(status)s::job_status
      AND q.created_at < now() - make_interval(days => %(days)s)
      AND q.completed_at < now() - make_interval(days => %(days)s)
      AND NOT (q.status = 'error' AND q.job_type LIKE 'pg\_%%')
    ORDER BY q.created_at, q.id
    LIMIT %(batch)s
    FOR UPDATE OF q SKIP LOCKED
),
gone AS (
    DELETE FROM job_queue q WHERE q.id = ANY(ARRAY(SELECT o.id FROM old o))
    RETURNING (q.completed_at AT TIME ZONE 'UTC')::date AS day, q.job_type, q.outcome
),
counted AS (
    INSERT INTO job_counts (day, job_type, outcome, jobs)
    SELECT g.day, g.job_type, g.outcome, count(*) FROM gone g GROUP BY g.day, g.job_type, g.outcome
    ON CONFLICT (day, job_type, outcome) DO UPDATE SET jobs = job_counts.jobs + excluded.jobs
)
SELECT count(*) FROM gone
