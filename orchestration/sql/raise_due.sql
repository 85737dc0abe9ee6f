-- Raises scheduled.due for nodes whose planned time has come, once per value: graph_events_scheduled_once remembers.
-- Index: nodes_scheduled, and that one for what was raised already.
INSERT INTO graph_events (event, op, node_id, payload)
SELECT 'scheduled.due', 'UPDATE', n.id, jsonb_build_object('scheduled_for', n.metadata ->> 'scheduled_for')
FROM nodes n
WHERE n.metadata ? 'scheduled_for'
  AND n.metadata ->> 'scheduled_for' IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM graph_events v
      WHERE v.event = 'scheduled.due' AND v.node_id = n.id
        AND v.payload ->> 'scheduled_for' = n.metadata ->> 'scheduled_for'
  )
  AND planned_time(n.metadata ->> 'scheduled_for', %(zone)s) <= now()
ON CONFLICT DO NOTHING
