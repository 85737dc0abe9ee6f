-- Records how steps ended. Runs under the lock of lock_units.sql. Index: pipeline_steps_pkey.
UPDATE pipeline_steps s
SET state = m.state, attempt = m.attempt, result = coalesce(m.result, s.result), error = m.error, job_id = m.job,
    updated_at = now(),
    finished_at = CASE WHEN m.state IN ('succeeded', 'permanently_failed', 'excluded') THEN now() END
FROM jsonb_to_recordset(%(marks)s::jsonb) AS m (
    id bigint, state text, attempt smallint, result jsonb, error text, job uuid
)
WHERE s.id = m.id
