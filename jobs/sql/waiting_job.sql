-- A waiting job with what its type's rule says, and the job of the same order key that it waits for.
-- Indexes: job_queue_pkey, job_queue_order.
SELECT q.job_type, q.status::text, q.attempts, q.scheduled_for > now(), q.scheduled_for, coalesce(r.paused, false),
       coalesce(r.max_concurrent, 0), coalesce(r.block_during_livekit, false), coalesce(r.hold_when_disk_full, false),
       (SELECT e.id FROM job_queue e
        WHERE e.order_key = q.order_key AND e.status IN ('pending', 'retry', 'running')
          AND (e.created_at, e.id) < (q.created_at, q.id)
        ORDER BY e.created_at, e.id LIMIT 1)
FROM job_queue q
LEFT JOIN job_priority_rules r ON r.job_type = q.job_type
WHERE q.id = %(job)s AND q.status IN ('pending', 'retry')
