-- In place of job_queue in admission.sql for the inline lane: a job with an order_key waits until no unfinished job of the
-- key is before it; one in retry holds its successors, one in error releases them. Index: job_queue_order.
-- The first of a key is looked up as a join and not as EXISTS: a join remembers the answer for each key (Memoize), so
-- that ten thousand jobs of one key in front cost one look-up, not ten thousand.
SELECT w.* FROM job_queue w
LEFT JOIN LATERAL (
    SELECT e.id FROM job_queue e
    WHERE e.order_key = w.order_key AND e.status IN ('pending', 'retry', 'running')
    ORDER BY e.created_at, e.id LIMIT 1
) first ON true
WHERE w.order_key IS NULL OR first.id = w.id
