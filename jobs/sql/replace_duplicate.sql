-- A waiting job with the same type and dedupe key takes over what the new one says; a running one is left alone.
-- Unique index: job_dedupe_unfinished.
UPDATE job_queue q
SET payload = %(payload)s::jsonb, priority = coalesce(%(priority)s, q.priority),
    scheduled_for = coalesce(%(scheduled_for)s, q.scheduled_for)
WHERE q.job_type = %(job_type)s AND q.dedupe_key = %(dedupe_key)s AND q.status IN ('pending', 'retry')
RETURNING q.id
