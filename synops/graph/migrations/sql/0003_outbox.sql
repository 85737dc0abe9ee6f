-- The outbox: statement-level triggers, one per table and operation, so that writes by tools and by hand raise
-- events too. `chain` crosses programs: a writing tool sets synops.chain in its transaction.
CREATE FUNCTION current_chain() RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT nullif(current_setting('synops.chain', true), '')::uuid[]
$$;

-- "Once per value": the same planned time of a node raises scheduled.due once.
CREATE UNIQUE INDEX graph_events_scheduled_once ON graph_events (node_id, (payload ->> 'scheduled_for'))
    WHERE event = 'scheduled.due';

CREATE FUNCTION events_after_node_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, payload, chain)
    SELECT 'node.created', 'INSERT', id, jsonb_build_object('node_kind', node_kind), current_chain() FROM new_rows;
    INSERT INTO graph_events (event, op, node_id, payload, chain)
    SELECT 'communication.ended', 'INSERT', id, jsonb_build_object('ended_at', metadata ->> 'ended_at'), current_chain()
    FROM new_rows
    WHERE node_kind = 'communication' AND metadata ->> 'ended_at' IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION events_after_node_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, payload, chain)
    SELECT 'communication.ended', 'UPDATE', n.id, jsonb_build_object('ended_at', n.metadata ->> 'ended_at'),
           current_chain()
    FROM new_rows n JOIN old_rows o USING (id)
    WHERE n.node_kind = 'communication'
      AND n.metadata ->> 'ended_at' IS NOT NULL
      AND o.metadata ->> 'ended_at' IS NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION events_after_edge_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, edge_id, payload, chain)
    SELECT 'edge.created', 'INSERT', source_id, id,
           jsonb_build_object('edge_type', edge_type, 'source_id', source_id, 'target_id', target_id), current_chain()
    FROM new_rows;
    INSERT INTO graph_events (event, op, node_id, edge_id, payload, chain)
    SELECT 'node.published', 'INSERT', source_id, id,
           jsonb_build_object('slot', metadata ->> 'slot', 'collection_id', target_id), current_chain()
    FROM new_rows
    WHERE edge_type = 'belongs_to' AND metadata ->> 'slot' IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION events_after_edge_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO graph_events (event, op, node_id, edge_id, payload, chain)
    SELECT 'node.published', 'UPDATE', n.source_id, n.id,
           jsonb_build_object('slot', n.metadata ->> 'slot', 'collection_id', n.target_id), current_chain()
    FROM new_rows n JOIN old_rows o USING (id)
    WHERE n.edge_type = 'belongs_to'
      AND n.metadata ->> 'slot' IS NOT NULL
      AND (o.metadata ->> 'slot' IS DISTINCT FROM n.metadata ->> 'slot'
           OR (o.edge_type, o.source_id, o.target_id) IS DISTINCT FROM (n.edge_type, n.source_id, n.target_id));
    RETURN NULL;
END $$;

CREATE TRIGGER nodes_events_insert AFTER INSERT ON nodes
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION events_after_node_insert();
CREATE TRIGGER nodes_events_update AFTER UPDATE ON nodes
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION events_after_node_update();
CREATE TRIGGER edges_events_insert AFTER INSERT ON edges
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION events_after_edge_insert();
CREATE TRIGGER edges_events_update AFTER UPDATE ON edges
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION events_after_edge_update();
