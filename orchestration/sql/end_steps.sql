-- How started alternatives ended. Index: run_steps_once.
UPDATE orchestration_run_steps t
SET state = s.state, reason = s.reason, result = s.result, error = s.error, exit_code = s.exit_code,
    started_at = coalesce(s.started, t.started_at), finished_at = coalesce(s.finished, now())
FROM jsonb_to_recordset(%(steps)s::jsonb) AS s (
    run uuid, step smallint, alternative smallint, state text, reason text, result jsonb, error text, exit_code int,
    started timestamptz, finished timestamptz
)
WHERE t.run_id = s.run AND t.step = s.step AND t.alternative = s.alternative AND t.state = 'started'
