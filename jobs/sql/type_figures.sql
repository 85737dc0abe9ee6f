-- Per type, of the jobs that ended in the last %(hours)s hours and that the viewer may see: how many, how many failed,
-- and percentiles of the last attempt's wait (due → start) and run time in seconds. Index: job_queue_completed (BRIN).
SELECT q.job_type, count(*),
       count(*) FILTER (WHERE q.outcome IN ('failed', 'timed_out', 'lost')),
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (
           ORDER BY greatest(extract(epoch FROM q.started_at - q.scheduled_for), 0)::float8),
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (
           ORDER BY greatest(extract(epoch FROM q.completed_at - q.started_at), 0)::float8)
FROM job_queue q
WHERE q.completed_at >= now() - make_interval(hours => %(hours)s) AND q.outcome <> 'cancelled'
  AND (%(everything)s OR EXISTS (
      SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
GROUP BY q.job_type
