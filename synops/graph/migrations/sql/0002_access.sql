-- Foreign keys with the ON DELETE that the spec asks for (Django's own are always deferred and without one).
ALTER TABLE nodes ADD CONSTRAINT nodes_user_fk FOREIGN KEY (user_id) REFERENCES auth_user (id) ON DELETE SET NULL;
ALTER TABLE edges ADD CONSTRAINT edges_source_fk FOREIGN KEY (source_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE edges ADD CONSTRAINT edges_target_fk FOREIGN KEY (target_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE node_access ADD CONSTRAINT node_access_user_fk
    FOREIGN KEY (user_id) REFERENCES auth_user (id) ON DELETE CASCADE;
ALTER TABLE node_access ADD CONSTRAINT node_access_node_fk
    FOREIGN KEY (node_id) REFERENCES nodes (id) ON DELETE CASCADE;

-- Few rows among many: live calls (the governor asks every 10 s) and nodes that wait for their time.
CREATE INDEX nodes_live_calls ON nodes (id)
    WHERE node_kind = 'communication' AND metadata ->> 'livekit_active' = 'true';
CREATE INDEX nodes_scheduled ON nodes ((metadata ->> 'scheduled_for')) WHERE metadata ? 'scheduled_for';

-- Recomputes who may see the nodes in `changed` and everything that inherits from them.
--
-- The lock comes first and alone: in READ COMMITTED each statement below then sees what the previous holder
-- committed, so "grant on the collection" and "new node in the collection" in two transactions can't miss each other.
CREATE FUNCTION recompute_access(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF changed IS NULL OR cardinality(changed) = 0 THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('synops.recompute_access'));
    WITH RECURSIVE
    affected (node_id) AS (
        SELECT unnest(changed)
        UNION  -- UNION, not UNION ALL: a cycle ends
        SELECT e.source_id
        FROM affected a
        JOIN edges e ON e.target_id = a.node_id
        JOIN access_edge_types t ON t.edge_type = e.edge_type AND t.effect = 'inherits'
    ),
    origin (node_id, from_id) AS (  -- each affected node with itself and all that it inherits from
        SELECT node_id, node_id FROM affected
        UNION
        SELECT o.node_id, e.target_id
        FROM origin o
        JOIN edges e ON e.source_id = o.from_id
        JOIN access_edge_types t ON t.edge_type = e.edge_type AND t.effect = 'inherits'
    ),
    wanted (user_id, node_id, role) AS (
        SELECT p.user_id, o.node_id, t.role
        FROM origin o
        JOIN edges e ON e.target_id = o.from_id
        JOIN access_edge_types t ON t.edge_type = e.edge_type AND t.effect = 'grants'
        JOIN nodes p ON p.id = e.source_id AND p.user_id IS NOT NULL
        UNION
        SELECT p.user_id, o.node_id, t.role
        FROM origin o
        JOIN edges e ON e.source_id = o.from_id
        JOIN access_edge_types t ON t.edge_type = e.edge_type AND t.effect = 'grants_back'
        JOIN nodes p ON p.id = e.target_id AND p.user_id IS NOT NULL
        UNION
        SELECT p.user_id, p.id, 'self' FROM affected a JOIN nodes p ON p.id = a.node_id AND p.user_id IS NOT NULL
    ),
    gone AS (
        DELETE FROM node_access n
        USING affected a
        WHERE n.node_id = a.node_id
          AND NOT EXISTS (SELECT FROM wanted w
                          WHERE w.user_id = n.user_id AND w.node_id = n.node_id AND w.role = n.role)
    )
    INSERT INTO node_access (user_id, node_id, role)
    SELECT w.user_id, w.node_id, w.role FROM wanted w JOIN nodes n ON n.id = w.node_id
    ON CONFLICT DO NOTHING;
END $$;

-- The node whose access an edge of this type decides; null for edge types that give no access.
CREATE FUNCTION access_subject(edge_type text, source_id uuid, target_id uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT CASE t.effect WHEN 'grants' THEN $3 ELSE $2 END FROM access_edge_types t WHERE t.edge_type = $1
$$;

CREATE FUNCTION access_after_edge_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(DISTINCT s))
    FROM (SELECT access_subject(edge_type, source_id, target_id) AS s FROM new_rows) x WHERE s IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION access_after_edge_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(DISTINCT s))
    FROM (
        SELECT access_subject(edge_type, source_id, target_id) AS s
        FROM (TABLE new_rows EXCEPT TABLE old_rows) changed
        UNION
        SELECT access_subject(edge_type, source_id, target_id)
        FROM (TABLE old_rows EXCEPT TABLE new_rows) changed
    ) x WHERE s IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION access_after_edge_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(DISTINCT s))
    FROM (SELECT access_subject(edge_type, source_id, target_id) AS s FROM old_rows) x WHERE s IS NOT NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER edges_access_insert AFTER INSERT ON edges
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION access_after_edge_insert();
CREATE TRIGGER edges_access_update AFTER UPDATE ON edges
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION access_after_edge_update();
CREATE TRIGGER edges_access_delete AFTER DELETE ON edges
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION access_after_edge_delete();

-- A person who gets, changes or loses a login: everything that their edges decide.
CREATE FUNCTION access_after_person_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(id)) FROM new_rows WHERE user_id IS NOT NULL;
    RETURN NULL;
END $$;

CREATE FUNCTION access_after_person_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(DISTINCT s))
    FROM (
        SELECT n.id AS person FROM new_rows n JOIN old_rows o USING (id) WHERE n.user_id IS DISTINCT FROM o.user_id
    ) changed
    CROSS JOIN LATERAL (
        SELECT changed.person AS s
        UNION
        SELECT access_subject(e.edge_type, e.source_id, e.target_id)
        FROM edges e WHERE changed.person IN (e.source_id, e.target_id)
    ) x WHERE s IS NOT NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER nodes_access_insert AFTER INSERT ON nodes
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION access_after_person_insert();
CREATE TRIGGER nodes_access_update AFTER UPDATE ON nodes
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION access_after_person_update();

-- Which edge types give access is data; when that data changes, all edges of the type are decided anew.
CREATE FUNCTION access_after_type_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM recompute_access(array_agg(DISTINCT node_id))
    FROM (
        SELECT source_id AS node_id FROM edges WHERE edge_type IN (NEW.edge_type, OLD.edge_type)
        UNION
        SELECT target_id FROM edges WHERE edge_type IN (NEW.edge_type, OLD.edge_type)
    ) touched;
    RETURN NULL;
END $$;
CREATE TRIGGER access_edge_types_changed AFTER INSERT OR UPDATE OR DELETE ON access_edge_types
    FOR EACH ROW EXECUTE FUNCTION access_after_type_change();

CREATE FUNCTION nodes_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER nodes_touched BEFORE UPDATE ON nodes FOR EACH ROW EXECUTE FUNCTION nodes_touch();
