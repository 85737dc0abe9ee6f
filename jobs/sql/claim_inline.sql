-- Claims a batch of up to %(slots)s jobs that run inside the worker: no slot, no weight. The end of a statement that begins
-- with admission.sql (with in_order.sql in it) and remembered.sql. Runs right after claim_lock.sql, in the same
-- transaction. Index: job_queue_pkey. The last row is what it remembers, and no job.
-- The commit does not wait for the disk: what the jobs do and their finish are one later transaction, so a crash that
-- forgets the claim has forgotten what followed it, too.
locked AS MATERIALIZED (
    SELECT q.ctid AS place FROM job_queue q
    WHERE q.id = ANY(ARRAY(SELECT o.id FROM ordered o WHERE o.position <= %(slots)s)) AND q.status IN ('pending', 'retry')
    FOR UPDATE OF q SKIP LOCKED
),
claimed AS (
    UPDATE job_queue q
    SET status = 'running', started_at = now(), worker_id = %(worker)s, lease = q.lease + 1, attempts = q.attempts + 1,
        claim_no = (SELECT p.number FROM pass p)
    WHERE q.ctid = ANY(ARRAY(SELECT l.place FROM locked l))  -- a locked row stays where it is
    RETURNING q.id, q.collection_node_id, q.job_type, q.payload::text, q.lease, q.attempts, q.max_attempts, q.run_id,
              q.chain::text[]
)
SELECT c.*, 600, NULL::int, NULL::int, NULL::int, NULL::smallint, NULL::timestamptz, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text
FROM claimed c
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, m.floor,
       m.types, m.priorities, m.times, m.ids
FROM remembered m, set_config('synchronous_commit', 'off', true)
