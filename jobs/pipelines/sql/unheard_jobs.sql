-- Jobs that have ended an attempt of which their step has not heard: the call after the commit was missed.
-- Indexes: pipeline_steps_open (small: what is not over), job_queue_pkey.
SELECT s.job_id
FROM pipeline_steps s
JOIN job_queue q ON q.id = s.job_id
WHERE (s.state IN ('pending', 'running') AND q.status IN ('retry', 'completed', 'error'))
   OR (s.state = 'failed' AND q.status IN ('completed', 'error'))
LIMIT %(limit)s
