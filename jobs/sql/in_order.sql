-- A condition of admission.sql for the inline lane: a job with an order_key waits until no unfinished job of the key is
-- before it; one in retry holds its successors, one in error releases them. Index: job_queue_order.
AND (q.order_key IS NULL OR NOT EXISTS (
    SELECT FROM job_queue e
    WHERE e.order_key = q.order_key AND e.status IN ('pending', 'retry', 'running')
      AND (e.created_at, e.id) < (q.created_at, q.id)
))
