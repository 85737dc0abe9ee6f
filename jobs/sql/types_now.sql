-- Per type, how many jobs are due, wait for later and run now, of those that the viewer may see; each at most 10,001.
-- Indexes: job_queue_claim, job_queue_running.
SELECT t.job_type, due.n, later.n, running.n
FROM unnest(%(types)s::text[]) AS t (job_type)
CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT FROM job_queue q
        WHERE q.job_type = t.job_type AND q.status IN ('pending', 'retry') AND q.scheduled_for <= now()
          AND (%(everything)s OR EXISTS (
              SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
        LIMIT 10001) few
) due
CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT FROM job_queue q
        WHERE q.job_type = t.job_type AND q.status IN ('pending', 'retry') AND q.scheduled_for > now()
          AND (%(everything)s OR EXISTS (
              SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
        LIMIT 10001) few
) later
CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM job_queue q
    WHERE q.job_type = t.job_type AND q.status = 'running'
      AND (%(everything)s OR EXISTS (
          SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
) running
