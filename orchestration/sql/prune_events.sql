-- Handled events older than %(days)s days, in one batch. Index: graph_events_done.
-- scheduled.due stays while its node does: it is the memory of "once per value".
DELETE FROM graph_events
WHERE id IN (
    SELECT v.id FROM graph_events v
    WHERE v.done_at < now() - make_interval(days => %(days)s)
      AND (v.event <> 'scheduled.due' OR NOT EXISTS (SELECT FROM nodes n WHERE n.id = v.node_id))
    LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED
)
