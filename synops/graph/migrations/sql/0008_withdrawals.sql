-- What was published and is so no longer, or in another way: its page must go, index and feed be made again. `path` is where
-- the page lies, which synops-render itself notes on the edge.
CREATE FUNCTION events_after_edge_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, edge_id, payload, chain)
    SELECT 'node.withdrawn', 'UPDATE', source_id, id,
           jsonb_build_object('slot', metadata ->> 'slot', 'collection_id', target_id), current_chain()
    FROM old_rows
    WHERE edge_type = 'belongs_to' AND metadata ->> 'slot' IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION withdrawals_after_edge_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, edge_id, payload, chain)
    SELECT 'node.withdrawn', 'UPDATE', o.source_id, o.id,
           jsonb_build_object('slot', o.metadata ->> 'slot', 'collection_id', o.target_id), current_chain()
    FROM old_rows o JOIN new_rows n USING (id)
    WHERE o.edge_type = 'belongs_to'
      AND o.metadata ->> 'slot' IS NOT NULL
      AND (o.metadata - 'path', o.edge_type, o.source_id, o.target_id)
          IS DISTINCT FROM (n.metadata - 'path', n.edge_type, n.source_id, n.target_id);
    RETURN NULL;
END $$;

CREATE TRIGGER edges_events_delete AFTER DELETE ON edges
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION events_after_edge_delete();
CREATE TRIGGER edges_withdrawals_update AFTER UPDATE ON edges
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION withdrawals_after_edge_update();
