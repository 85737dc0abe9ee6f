-- Attempts that run although their time limit ended %(margin)s s ago: their worker should have killed them. Never rescued
-- for that: a beating worker's job is its own. Index: job_queue_running.
SELECT q.id, q.lease, q.job_type, q.worker_id, extract(epoch FROM now() - q.started_at)::float8, l.seconds
FROM job_queue q
LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
CROSS JOIN LATERAL (SELECT coalesce(nullif(r.timeout_seconds, 0), %(default)s) AS seconds) l
WHERE q.status = 'running' AND q.started_at < now() - make_interval(secs => l.seconds + %(margin)s)
ORDER BY q.started_at
LIMIT 100
