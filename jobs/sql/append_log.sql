-- Log chunks of a batch of attempts; a tail chunk replaces the one before. Unique index: job_log_once.
INSERT INTO job_log (job_id, lease, seq, part, text)
SELECT l.id, l.lease, l.seq, l.part, l.text
FROM jsonb_to_recordset(%(chunks)s::jsonb) AS l (id uuid, lease int, seq int, part text, text text)
WHERE EXISTS (SELECT FROM job_attempts a WHERE a.job_id = l.id AND a.lease = l.lease)
ON CONFLICT (job_id, lease, seq) DO UPDATE SET text = excluded.text, created_at = now()
