-- Which waiting jobs may start on machine %(machine)s now, best first: common table expressions that the claims and
-- why_waiting.sql share, so that the answer to "why does it wait?" is the claim's own. Runs after claim_lock.sql when it
-- counts. Indexes: job_queue_claim (types × priority levels × due time), job_queue_running.
-- %(floor)s and %(head_…)s are what a claim remembers (jobs/queue/claiming.py): no running row has a smaller claim_no, and no
-- waiting row of a type stands before its head. 0 and NULL remember nothing, and look at everything.
running AS MATERIALIZED (  -- usage is computed from the rows that run, never from a counter that could leak
    SELECT q.job_type, count(*) AS n, min(q.claim_no) AS oldest,
           sum(coalesce(r.cpu_weight, 1)) FILTER (WHERE w.machine = %(machine)s) AS weight
    FROM job_queue q
    LEFT JOIN workers w ON w.id = q.worker_id
    LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
    WHERE q.status = 'running' AND q.claim_no >= %(floor)s
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
level (job_type, weight, adjustment, priority, ids, times, wanted, head, since, since_id) AS (
    -- The priority levels of each type from the top, found by loose index scan: one probe a level, and one for its first
    -- due rows. A type's levels end when its room is filled: capacity before LIMIT, so nothing starves behind a full type.
    SELECT t.job_type, t.weight, t.adjustment, 32767::smallint, '{}'::uuid[], '{}'::timestamptz[], t.room::int, h.priority,
           coalesce(h.since, '-infinity'), coalesce(h.since_id, '00000000-0000-0000-0000-000000000000')
    FROM open_type t
    LEFT JOIN unnest(%(head_types)s::text[], %(head_priorities)s::smallint[], %(head_times)s::timestamptz[],
                     %(head_ids)s::uuid[]) AS h (job_type, priority, since, since_id) ON h.job_type = t.job_type
    WHERE t.room > 0 AND (%(head_types)s::text[] IS NULL OR h.job_type IS NOT NULL)
    UNION ALL
    SELECT l.job_type, l.weight, l.adjustment, next.priority, due.ids, due.times, l.wanted - cardinality(due.ids), NULL,
           '-infinity', '00000000-0000-0000-0000-000000000000'
    FROM level l
    CROSS JOIN LATERAL (
        SELECT coalesce(l.head, (
            SELECT q.priority FROM job_queue q
            WHERE q.job_type = l.job_type AND q.status IN ('pending', 'retry') AND q.priority < l.priority
            ORDER BY q.priority DESC LIMIT 1
        ))
        OFFSET 0  -- or it would be probed again wherever it is used
    ) next (priority)
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(d.id ORDER BY d.scheduled_for, d.id), '{}'),
               coalesce(array_agg(d.scheduled_for ORDER BY d.scheduled_for, d.id), '{}')
        FROM (
            SELECT q.id, q.scheduled_for FROM /* waiting */ job_queue q
            WHERE q.job_type = l.job_type AND q.priority = next.priority AND q.status IN ('pending', 'retry')
              AND q.scheduled_for <= now() AND (q.scheduled_for, q.id) >= (l.since, l.since_id)
            ORDER BY q.scheduled_for, q.id
            LIMIT l.wanted
        ) d
    ) due (ids, times)
    WHERE l.wanted > 0 AND next.priority IS NOT NULL
),
ordered AS MATERIALIZED (
    SELECT d.*, row_number() OVER (ORDER BY d.rank DESC, d.scheduled_for, d.id) AS position
    FROM (
        SELECT unnest(l.ids) AS id, unnest(l.times) AS scheduled_for, l.weight, l.priority + l.adjustment AS rank
        FROM level l
    ) d
)
