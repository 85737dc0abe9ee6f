-- What is not over, by pipeline, step and state, of those that the viewer may see. Index: pipeline_steps_open (small).
SELECT s.pipeline, s.step, s.state, count(*),
       count(*) FILTER (WHERE s.state = 'running' AND s.updated_at < now() - make_interval(mins => %(minutes)s)),
       min(s.created_at)
FROM pipeline_steps s
WHERE s.state IN ('pending', 'running', 'failed')
  AND (%(everything)s OR EXISTS (
      SELECT FROM node_access a WHERE a.user_id = %(user)s AND a.node_id = s.collection_node_id))
GROUP BY s.pipeline, s.step, s.state
