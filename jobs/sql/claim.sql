-- Claims up to %(slots)s jobs for worker %(worker)s. Runs right after claim_lock.sql, in the same transaction.
-- Indexes: job_queue_claim (types × priority levels × due time), job_queue_running, job_queue_pkey for the lock.
WITH RECURSIVE
running AS MATERIALIZED (  -- usage is computed from the rows that run, never from a counter that could leak
    SELECT q.job_type, count(*) AS n,
           sum(coalesce(r.cpu_weight, 1)) FILTER (WHERE w.machine = %(machine)s) AS weight
    FROM job_queue q
    LEFT JOIN workers w ON w.id = q.worker_id
    LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
    WHERE q.status = 'running'
    GROUP BY q.job_type
),
open_type AS MATERIALIZED (  -- the types that this worker can run and that have room
    SELECT t.job_type,
           coalesce(r.cpu_weight, 1) AS weight,
           CASE WHEN %(live_call)s THEN coalesce(r.livekit_priority_adj, 0) ELSE 0 END AS adjustment,
           CASE WHEN coalesce(r.max_concurrent, 0) = 0 THEN %(slots)s
                ELSE least(%(slots)s, r.max_concurrent - coalesce(u.n, 0)) END AS room
    FROM unnest(%(types)s::text[]) AS t (job_type)
    LEFT JOIN job_priority_rules r ON r.job_type = t.job_type
    LEFT JOIN running u ON u.job_type = t.job_type
    WHERE NOT coalesce(r.paused, false)
      AND NOT (%(live_call)s AND coalesce(r.block_during_livekit, false))
      AND NOT (%(disk_full)s AND coalesce(r.hold_when_disk_full, false))
),
level AS (  -- the priority levels in use per type, found by loose index scan: one probe a level
    SELECT t.job_type, top.priority
    FROM open_type t
    CROSS JOIN LATERAL (
        SELECT q.priority FROM job_queue q
        WHERE q.job_type = t.job_type AND q.status IN ('pending', 'retry')
        ORDER BY q.priority DESC LIMIT 1
    ) top
    WHERE t.room > 0
    UNION ALL
    SELECT l.job_type, below.priority
    FROM level l
    CROSS JOIN LATERAL (
        SELECT q.priority FROM job_queue q
        WHERE q.job_type = l.job_type AND q.status IN ('pending', 'retry') AND q.priority < l.priority
        ORDER BY q.priority DESC LIMIT 1
    ) below
),
candidate AS MATERIALIZED (  -- at most `room` rows of each level: capacity before LIMIT, so nothing starves behind a full type
    SELECT due.id, t.job_type, t.room, t.weight, l.priority + t.adjustment AS rank, due.scheduled_for
    FROM level l
    JOIN open_type t USING (job_type)
    CROSS JOIN LATERAL (
        SELECT q.id, q.scheduled_for FROM job_queue q
        WHERE q.job_type = l.job_type AND q.priority = l.priority AND q.status IN ('pending', 'retry')
          AND q.scheduled_for <= now()
        ORDER BY q.scheduled_for, q.id
        LIMIT t.room
    ) due
),
within_type AS MATERIALIZED (
    SELECT c.*, row_number() OVER (PARTITION BY job_type ORDER BY rank DESC, scheduled_for, id) AS nth FROM candidate c
),
ordered AS MATERIALIZED (
    SELECT w.*, row_number() OVER (ORDER BY rank DESC, scheduled_for, id) AS position
    FROM within_type w WHERE nth <= room
),
fitting (position, id, taken, weight_left, slots_left) AS (  -- first fit: a heavy job that does not fit lets lighter ones pass
    SELECT 0::bigint, NULL::uuid, false,
           %(budget)s::bigint - coalesce((SELECT sum(weight) FROM running), 0)::bigint, %(slots)s::int
    UNION ALL
    SELECT o.position, o.id, o.weight <= f.weight_left,
           CASE WHEN o.weight <= f.weight_left THEN f.weight_left - o.weight ELSE f.weight_left END,
           CASE WHEN o.weight <= f.weight_left THEN f.slots_left - 1 ELSE f.slots_left END
    FROM fitting f JOIN ordered o ON o.position = f.position + 1
    WHERE f.slots_left > 0 AND f.weight_left > 0
),
locked AS MATERIALIZED (  -- = ANY(ARRAY(…)) forces the primary key; a join here became a hash join over the whole table
    SELECT q.id FROM job_queue q
    WHERE q.id = ANY(ARRAY(SELECT f.id FROM fitting f WHERE f.taken)) AND q.status IN ('pending', 'retry')
    FOR UPDATE OF q SKIP LOCKED
),
claimed AS (
    UPDATE job_queue q
    SET status = 'running', started_at = now(), worker_id = %(worker)s, lease = q.lease + 1, attempts = q.attempts + 1
    WHERE q.id = ANY(ARRAY(SELECT l.id FROM locked l))
    RETURNING q.id, q.collection_node_id, q.job_type, q.payload, q.priority, q.lease, q.attempts, q.max_attempts,
              q.run_id, q.chain, q.scheduled_for
),
attempt AS (
    INSERT INTO job_attempts (job_id, lease, attempt, worker_id, machine, due_at)
    SELECT c.id, c.lease, c.attempts, %(worker)s, %(machine)s, c.scheduled_for FROM claimed c
)
SELECT c.id, c.collection_node_id, c.job_type, c.payload::text, c.lease, c.attempts, c.max_attempts, c.run_id,
       c.chain::text[],
       coalesce(nullif(r.timeout_seconds, 0), 600), r.max_open_files, r.max_cpu_seconds, r.max_rss_mb
FROM claimed c
LEFT JOIN job_priority_rules r ON r.job_type = c.job_type
ORDER BY c.priority DESC, c.scheduled_for, c.id
