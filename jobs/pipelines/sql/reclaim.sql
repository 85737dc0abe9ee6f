-- Points steps at new jobs: what forces a claim. Index: pipeline_steps_pkey.
UPDATE pipeline_steps s SET job_id = r.job, state = 'pending', updated_at = now()
FROM jsonb_to_recordset(%(reclaimed)s::jsonb) AS r (id bigint, job uuid)
WHERE s.id = r.id
