-- New alternatives, in the order of the list. The unique (run, step, alternative) is the last guard against starting
-- one twice: it fails the transaction, it does not skip.
INSERT INTO orchestration_run_steps (
    run_id, step, alternative, line, text, tool, job_type, params, state, reason, result, error, exit_code, job_id,
    copied, started_at, finished_at
)
SELECT s.run, s.step, s.alternative, s.line, s.text, s.tool, s.job_type, s.params, s.state, s.reason, s.result, s.error,
       s.exit_code, s.job, s.copied, coalesce(s.started, now()),
       CASE WHEN s.state <> 'started' THEN coalesce(s.finished, now()) END
FROM jsonb_to_recordset(%(steps)s::jsonb) AS s (
    n int, run uuid, step smallint, alternative smallint, line int, text text, tool text, job_type text, params jsonb,
    state text, reason text, result jsonb, error text, exit_code int, job uuid, copied boolean, started timestamptz,
    finished timestamptz
)
ORDER BY s.n
