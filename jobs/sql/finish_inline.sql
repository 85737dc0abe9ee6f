-- Ends a batch of jobs that ran inside worker %(worker)s and succeeded at the first try: most of what an inline lane ever
-- finishes, in the fewest columns. Compare-and-set on (id, status, lease, worker); what it leaves out (held by someone
-- else, stale, asked to stop) goes through finish.sql. Index: job_queue_pkey.
-- A row with a worker is one that runs (job_owned_while_running). Saying `status = 'running'` here would let the planner
-- take job_queue_running, and walk through what an old snapshot keeps of every job that ever ran.
WITH ended AS MATERIALIZED (
    SELECT e.id, e.lease, nullif(e.result, 'null') AS result
    FROM ROWS FROM (
        unnest(%(ids)s::uuid[]), unnest(%(leases)s::int[]), jsonb_array_elements(%(results)s::jsonb)
    ) AS e (id, lease, result)
),
locked AS MATERIALIZED (
    SELECT q.ctid AS place, q.id, e.result
    FROM ended e JOIN job_queue q ON q.id = e.id
    WHERE q.lease = e.lease AND q.worker_id = %(worker)s AND q.cancel_requested_at IS NULL
    FOR UPDATE OF q SKIP LOCKED
)
UPDATE job_queue q
SET status = 'completed', worker_id = NULL, outcome = 'succeeded', completed_at = now(), result = l.result,
    error_msg = NULL
FROM locked l
WHERE q.ctid = l.place  -- a locked row stays where it is; by id it would be looked up in the index once more
RETURNING q.id
