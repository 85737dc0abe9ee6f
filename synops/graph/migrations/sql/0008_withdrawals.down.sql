DROP TRIGGER edges_withdrawals_update ON edges;
DROP TRIGGER edges_events_delete ON edges;
DROP FUNCTION withdrawals_after_edge_update();
DROP FUNCTION events_after_edge_delete();
