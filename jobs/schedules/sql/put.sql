-- A schedule that belongs to something. When its times change, it begins anew: a tick that the new line would have had
-- in the past is not missed. Index: job_schedules_pkey.
INSERT INTO job_schedules AS s (
    name, description, cron, timezone, job_type, payload, priority, max_concurrency, collection_node_id, owner
)
VALUES (
    %(name)s, %(description)s, %(cron)s, %(timezone)s, %(job_type)s, %(payload)s::jsonb, %(priority)s,
    %(max_concurrency)s, %(collection)s, %(owner)s
)
ON CONFLICT (name) DO UPDATE
SET description = excluded.description, cron = excluded.cron, timezone = excluded.timezone,
    job_type = excluded.job_type, payload = excluded.payload, priority = excluded.priority,
    max_concurrency = excluded.max_concurrency, collection_node_id = excluded.collection_node_id,
    last_tick_at = CASE
        WHEN (s.cron, s.timezone) = (excluded.cron, excluded.timezone) THEN s.last_tick_at ELSE now()
    END
WHERE s.owner = excluded.owner
RETURNING name
