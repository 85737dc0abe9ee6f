-- What ended in the last %(hours)s hours, by span of time, step and state: the table and the graph of a page are sums of
-- it. Index: pipeline_steps_finished, read alone, and once.
SELECT date_bin(make_interval(secs => %(span)s), s.finished_at, '2000-01-01 00:00+00'), s.step, s.state, count(*)
FROM pipeline_steps s
WHERE s.pipeline = %(pipeline)s AND s.state IN ('succeeded', 'permanently_failed', 'excluded')
  AND s.finished_at >= now() - make_interval(hours => %(hours)s)
  AND (%(everything)s OR EXISTS (
      SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = s.collection_node_id))
GROUP BY 1, 2, 3
