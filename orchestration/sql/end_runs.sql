-- Runs that are over. Index: orchestration_runs_pkey.
UPDATE orchestration_runs t
SET status = r.status, handled = r.handled, reason = r.reason, finished_at = now()
FROM jsonb_to_recordset(%(runs)s::jsonb) AS r (id uuid, status text, handled boolean, reason text)
WHERE t.id = r.id AND t.status = 'running'
