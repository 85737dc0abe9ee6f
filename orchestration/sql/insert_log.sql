-- Lines of the spec's orchestration_log, in the order of the list.
INSERT INTO orchestration_log (
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
