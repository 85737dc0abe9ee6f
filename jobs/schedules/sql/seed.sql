-- The code owns what a schedule does, its description and whether it is dormant; the operator its cron line, zone and
-- switch. A row that is as it should be is not written. Index: job_schedules_pkey.
INSERT INTO job_schedules AS s (
    name, description, cron, timezone, job_type, payload, priority, max_concurrency, collection_node_id, dormant, owner
)
SELECT n.name, n.description, n.cron, n.timezone, n.job_type, n.payload, n.priority, n.max_concurrency, n.collection,
       n.dormant, 'code'
FROM jsonb_to_recordset(%(schedules)s::jsonb) AS n (
    name text, description text, cron text, timezone text, job_type text, payload jsonb, priority smallint,
    max_concurrency smallint, collection uuid, dormant boolean
)
ON CONFLICT (name) DO UPDATE
SET description = excluded.description, job_type = excluded.job_type, payload = excluded.payload,
    dormant = excluded.dormant, orphaned = false, owner = 'code',
    last_tick_at = CASE WHEN s.orphaned THEN now() ELSE s.last_tick_at END
WHERE (s.description, s.job_type, s.payload, s.dormant, s.orphaned, s.owner)
      IS DISTINCT FROM
      (excluded.description, excluded.job_type, excluded.payload, excluded.dormant, false, 'code')
