-- The running jobs with the weight that each holds on its machine. Index: job_queue_running.
SELECT coalesce(w.machine, ''), q.id, q.job_type, coalesce(r.cpu_weight, 1), q.started_at
FROM job_queue q
LEFT JOIN workers w ON w.id = q.worker_id
LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
WHERE q.status = 'running'
ORDER BY 1, 4 DESC, q.started_at
LIMIT 500
