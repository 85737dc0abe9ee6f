-- What ended in the last %(hours)s hours, by step and state. Index: pipeline_steps_finished, read alone.
SELECT s.step, s.state, count(*)
FROM pipeline_steps s
WHERE s.pipeline = %(pipeline)s AND s.state IN ('succeeded', 'permanently_failed', 'excluded', 'superseded')
  AND s.finished_at >= now() - make_interval(hours => %(hours)s)
  AND (%(everything)s OR EXISTS (
      SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = s.collection_node_id))
GROUP BY s.step, s.state
