-- The steps of locked runs, and what has become of the jobs of those that are not known to have finished.
-- Runs after lock_runs.sql as a statement of its own, so that it sees what the lock's last holder committed.
-- Indexes: run_steps_once, job_queue_pkey, job_attempts_once.
SELECT s.run_id, s.step, s.alternative, s.line, s.text, s.tool, s.job_type, s.params::text, s.state, s.reason,
       s.result::text, s.error, s.exit_code, s.job_id, s.started_at,
       j.status::text, j.outcome, j.result::text, j.error_msg, j.started_at, j.completed_at, a.exit_code
FROM orchestration_run_steps s
LEFT JOIN job_queue j ON s.state = 'started' AND j.id = s.job_id
LEFT JOIN LATERAL (
    SELECT t.exit_code FROM job_attempts t WHERE t.job_id = j.id ORDER BY t.lease DESC LIMIT 1
) a ON true
WHERE s.run_id = ANY(%(ids)s::uuid[])
ORDER BY s.id
