DROP TRIGGER edges_events_update ON edges;
DROP TRIGGER edges_events_insert ON edges;
DROP TRIGGER nodes_events_update ON nodes;
DROP TRIGGER nodes_events_insert ON nodes;
DROP FUNCTION events_after_edge_update(), events_after_edge_insert(), events_after_node_update(),
    events_after_node_insert(), current_chain();
DROP INDEX graph_events_scheduled_once;
