-- What runs did while they were advanced, in one statement: a step's overhead is mostly round trips.
-- Its parts touch different rows: alternatives that end were started by an earlier transaction.
-- The unique (run, step, alternative) is the last guard against starting one twice: it fails the transaction, it does
-- not skip. Lists keep their order (n). Indexes: run_steps_once, orchestration_runs_pkey.
WITH ended AS (
    UPDATE orchestration_run_steps t
    SET state = s.state, reason = s.reason, result = s.result, error = s.error, exit_code = s.exit_code,
        started_at = coalesce(s.started, t.started_at), finished_at = coalesce(s.finished, now())
    FROM jsonb_to_recordset(%(ended)s::jsonb) AS s (
        run uuid, step smallint, alternative smallint, state text, reason text, result jsonb, error text,
        exit_code int, started timestamptz, finished timestamptz
    )
    WHERE t.run_id = s.run AND t.step = s.step AND t.alternative = s.alternative AND t.state = 'started'
),
started AS (
    INSERT INTO orchestration_run_steps (
        run_id, step, alternative, line, text, tool, job_type, params, state, reason, result, error, exit_code,
        job_id, copied, started_at, finished_at
    )
    SELECT s.run, s.step, s.alternative, s.line, s.text, s.tool, s.job_type, s.params, s.state, s.reason, s.result,
           s.error, s.exit_code, s.job, s.copied, coalesce(s.started, now()),
           CASE WHEN s.state <> 'started' THEN coalesce(s.finished, now()) END
    FROM jsonb_to_recordset(%(started)s::jsonb) AS s (
        n int, run uuid, step smallint, alternative smallint, line int, text text, tool text, job_type text,
        params jsonb, state text, reason text, result jsonb, error text, exit_code int, job uuid, copied boolean,
        started timestamptz, finished timestamptz
    )
    ORDER BY s.n
),
over AS (
    UPDATE orchestration_runs t
    SET status = r.status, handled = r.handled, reason = r.reason, finished_at = now()
    FROM jsonb_to_recordset(%(over)s::jsonb) AS r (id uuid, status text, handled boolean, reason text)
    WHERE t.id = r.id AND t.status = 'running'
)
INSERT INTO orchestration_log (  -- the spec's log
    run_id, orchestration_id, step, alternative, is_fallback, tool_binary, argv, status, reason, exit_code, result,
    error, job_id, started_at, finished_at
)
SELECT l.run, l.orchestration, l.step, l.alternative, l.is_fallback, l.tool_binary, l.argv, l.status, l.reason,
       l.exit_code, l.result, l.error, l.job, l.started, coalesce(l.finished, now())
FROM jsonb_to_recordset(%(lines)s::jsonb) AS l (
    n int, run uuid, orchestration uuid, step smallint, alternative smallint, is_fallback boolean, tool_binary text,
    argv jsonb, status text, reason text, exit_code int, result jsonb, error text, job uuid, started timestamptz,
    finished timestamptz
)
ORDER BY l.n
