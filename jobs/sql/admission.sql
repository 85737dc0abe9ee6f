-- Which waiting jobs may start on machine %(machine)s now: common table expressions that claim.sql and why_waiting.sql
-- share, so that the answer to "why does it wait?" is the claim's own. Runs after claim_lock.sql when it counts.
-- Indexes: job_queue_claim (types × priority levels × due time), job_queue_running.
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
fitting (position, id, taken, weight_left, slots_left, reserved) AS (
    -- First fit: a heavy job that does not fit lets lighter ones pass, until it has waited %(reserve_after)s s and would fit an
    -- empty machine. Then the machine is reserved for it: nothing of lower rank starts here before it.
    SELECT 0::bigint, NULL::uuid, false,
           %(budget)s::bigint - coalesce((SELECT sum(weight) FROM running), 0)::bigint, %(slots)s::int, false
    UNION ALL
    SELECT o.position, o.id, o.weight <= f.weight_left,
           CASE WHEN o.weight <= f.weight_left THEN f.weight_left - o.weight ELSE f.weight_left END,
           CASE WHEN o.weight <= f.weight_left THEN f.slots_left - 1 ELSE f.slots_left END,
           o.weight > f.weight_left AND o.weight <= %(budget)s
               AND o.scheduled_for < now() - make_interval(secs => %(reserve_after)s)
    FROM fitting f JOIN ordered o ON o.position = f.position + 1
    WHERE f.slots_left > 0 AND f.weight_left > 0 AND NOT f.reserved
)
