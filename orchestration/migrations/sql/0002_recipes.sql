-- Foreign keys. A run outlives its recipe (what happened stays readable) but not its collection.
ALTER TABLE orchestration_versions ADD CONSTRAINT versions_orchestration_fk
    FOREIGN KEY (orchestration_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE orchestration_versions ADD CONSTRAINT versions_author_fk
    FOREIGN KEY (author_id) REFERENCES auth_user (id) ON DELETE SET NULL;
ALTER TABLE orchestration_runs ADD CONSTRAINT runs_orchestration_fk
    FOREIGN KEY (orchestration_id) REFERENCES nodes (id) ON DELETE SET NULL;
ALTER TABLE orchestration_runs ADD CONSTRAINT runs_collection_fk
    FOREIGN KEY (collection_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE orchestration_runs ADD CONSTRAINT runs_user_fk
    FOREIGN KEY (user_id) REFERENCES auth_user (id) ON DELETE SET NULL;
ALTER TABLE orchestration_run_steps ADD CONSTRAINT run_steps_run_fk
    FOREIGN KEY (run_id) REFERENCES orchestration_runs (id) ON DELETE CASCADE;
ALTER TABLE orchestration_log ADD CONSTRAINT log_run_fk
    FOREIGN KEY (run_id) REFERENCES orchestration_runs (id) ON DELETE CASCADE;
ALTER TABLE orchestration_log ADD CONSTRAINT log_orchestration_fk
    FOREIGN KEY (orchestration_id) REFERENCES nodes (id) ON DELETE SET NULL;
ALTER TABLE orchestration_considered ADD CONSTRAINT considered_orchestration_fk
    FOREIGN KEY (orchestration_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE orchestration_tombstones ADD CONSTRAINT tombstones_orchestration_fk
    FOREIGN KEY (orchestration_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE orchestration_tombstones ADD CONSTRAINT tombstones_node_fk
    FOREIGN KEY (node_id) REFERENCES nodes (id) ON DELETE CASCADE;

-- Which recipes wait for an event: few rows, read in every batch of events.
CREATE INDEX nodes_active_recipes ON nodes ((metadata -> 'compiled' -> 'trigger' ->> 'event'))
    WHERE node_kind = 'orchestration' AND metadata ->> 'state' = 'active';

-- The same trouble makes one open work item, however often it comes back; a closed one makes room for a new one.
CREATE UNIQUE INDEX nodes_open_work_items ON nodes ((metadata ->> 'dedupe_key'))
    WHERE node_kind = 'work_item' AND metadata ->> 'status' = 'open';

-- A removed `observes` edge stays as a tombstone, a drawn one lifts it. The join on nodes leaves out edges that go
-- because one of their ends went.
CREATE FUNCTION observes_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO orchestration_tombstones (orchestration_id, node_id)
    SELECT r.id, n.id
    FROM old_rows e
    JOIN nodes r ON r.id = e.source_id AND r.node_kind = 'orchestration'
    JOIN nodes n ON n.id = e.target_id
    WHERE e.edge_type = 'observes'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION observes_drawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM orchestration_tombstones t
    USING new_rows e
    WHERE e.edge_type = 'observes' AND t.orchestration_id = e.source_id AND t.node_id = e.target_id;
    RETURN NULL;
END $$;

CREATE TRIGGER edges_observes_removed AFTER DELETE ON edges
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION observes_removed();
CREATE TRIGGER edges_observes_drawn AFTER INSERT ON edges
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION observes_drawn();
