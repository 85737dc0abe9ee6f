-- How many due jobs of each type wait because their rule says so: paused, a live call, a full disk. At most 10,001 a type.
-- Index: job_queue_claim.
SELECT r.job_type,
       CASE WHEN r.paused THEN 'paused' WHEN r.block_during_livekit AND %(live_call)s THEN 'live_call' ELSE 'disk_full' END,
       waiting.n
FROM job_priority_rules r
CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT FROM job_queue q
        WHERE q.job_type = r.job_type AND q.status IN ('pending', 'retry') AND q.scheduled_for <= now()
        LIMIT 10001
    ) few
) waiting
WHERE (r.paused OR r.block_during_livekit AND %(live_call)s OR r.hold_when_disk_full AND %(disk_full)s)
  AND waiting.n > 0
ORDER BY r.job_type
