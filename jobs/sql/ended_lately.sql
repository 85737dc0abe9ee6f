-- How many jobs ended in each five minutes of the last %(hours)s hours, and how many of them failed: those that the
-- viewer may see. Index: job_queue_completed (BRIN).
SELECT date_bin('5 minutes', q.completed_at, '2000-01-01 00:00+00'), count(*),
       count(*) FILTER (WHERE q.outcome IN ('failed', 'timed_out', 'lost'))
FROM job_queue q
WHERE q.completed_at >= now() - make_interval(hours => %(hours)s)
  AND (%(everything)s OR EXISTS (
      SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = q.collection_node_id))
GROUP BY 1 ORDER BY 1
