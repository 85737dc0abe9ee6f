-- Unfinished runs without a live job: their step's job has ended, or is gone, and nobody has advanced them since.
-- Indexes: runs_unfinished, run_steps_once, job_queue_pkey.
SELECT r.id
FROM orchestration_runs r
WHERE r.status = 'running' AND r.id <> ALL(%(but)s::uuid[])
  AND NOT EXISTS (
      SELECT FROM orchestration_run_steps s
      JOIN job_queue j ON j.id = s.job_id
      WHERE s.run_id = r.id AND s.state = 'started' AND j.status IN ('pending', 'retry', 'running')
  )
ORDER BY r.id
LIMIT %(limit)s
