-- The job that has been due longest without starting, of those that the viewer may see: one probe for each type and
-- priority level in use, found by loose index scan. Index: job_queue_claim.
WITH RECURSIVE
type (job_type) AS (
    (SELECT q.job_type FROM job_queue q WHERE q.status IN ('pending', 'retry') ORDER BY q.job_type LIMIT 1)
    UNION ALL
    SELECT (SELECT q.job_type FROM job_queue q
            WHERE q.status IN ('pending', 'retry') AND q.job_type > t.job_type ORDER BY q.job_type LIMIT 1)
    FROM type t WHERE t.job_type IS NOT NULL
)
SELECT first.id, first.job_type, first.scheduled_for
FROM type t
CROSS JOIN generate_series(0, 10) AS level (priority)
CROSS JOIN LATERAL (
    SELECT q.id, q.job_type, q.scheduled_for FROM job_queue q
    WHERE q.job_type = t.job_type AND q.priority = level.priority AND q.status IN ('pending', 'retry')
      AND q.scheduled_for <= now()
      AND (%(everything)s OR EXISTS (
          SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
    ORDER BY q.scheduled_for, q.id LIMIT 1
) first
WHERE t.job_type IS NOT NULL
ORDER BY first.scheduled_for LIMIT 1
