-- Progress of attempts that still run under the given leases. Unique index: job_attempts_once.
UPDATE job_attempts a
SET progress = coalesce(p.progress, a.progress), message = coalesce(p.message, a.message)
FROM jsonb_to_recordset(%(progress)s::jsonb) AS p (id uuid, lease int, progress float8, message text)
WHERE a.job_id = p.id AND a.lease = p.lease AND a.finished_at IS NULL
RETURNING a.job_id
