-- What stands in the way of one waiting job on one machine: the end of a statement that begins with admission.sql, so
-- that it is the claim's own arithmetic. `ahead` counts jobs of the type that come first, to at most 1,000.
-- Indexes: job_queue_pkey, job_queue_claim, job_queue_running.
job AS MATERIALIZED (
    SELECT q.id, q.job_type, q.priority, q.scheduled_for, coalesce(r.cpu_weight, 1) AS weight
    FROM job_queue q LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
    WHERE q.id = %(job)s AND q.status IN ('pending', 'retry')
)
SELECT
    (SELECT t.room FROM open_type t WHERE t.job_type = job.job_type),
    (SELECT f.taken FROM fitting f WHERE f.id = job.id),
    job.weight,
    %(budget)s::bigint - coalesce((SELECT sum(weight) FROM running), 0)::bigint,
    (SELECT f.id FROM fitting f WHERE f.reserved AND f.id <> job.id),
    (SELECT count(*) FROM (
        SELECT FROM job_queue q
        WHERE q.job_type = job.job_type AND q.status IN ('pending', 'retry') AND q.scheduled_for <= now()
          AND (q.priority > job.priority
               OR q.priority = job.priority AND (q.scheduled_for, q.id) < (job.scheduled_for, job.id))
        LIMIT 1000
    ) first),
    (SELECT o.position - 1 FROM ordered o WHERE o.id = job.id),
    ARRAY(SELECT q.id FROM job_queue q WHERE q.status = 'running' AND q.job_type = job.job_type ORDER BY q.id LIMIT 20),
    ARRAY(SELECT q.id FROM job_queue q JOIN workers w ON w.id = q.worker_id AND w.machine = %(machine)s
          WHERE q.status = 'running' ORDER BY q.id LIMIT 20)
FROM job
