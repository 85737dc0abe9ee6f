-- Takes one tick of one schedule, in the transaction that enqueues its job: of many processes exactly one.
-- Nothing when it was taken, or when somebody has changed or switched off the schedule meanwhile.
-- Index: job_schedules_pkey.
UPDATE job_schedules
SET last_tick_at = %(tick)s
WHERE name = %(name)s AND last_tick_at < %(tick)s AND cron = %(cron)s AND timezone = %(timezone)s
  AND enabled AND NOT dormant AND NOT orphaned
RETURNING job_type, payload::text, priority, max_concurrency, collection_node_id
