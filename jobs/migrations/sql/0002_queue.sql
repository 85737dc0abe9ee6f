ALTER TABLE job_queue ADD CONSTRAINT job_queue_collection_fk
    FOREIGN KEY (collection_node_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE job_attempts ADD CONSTRAINT job_attempts_job_fk
    FOREIGN KEY (job_id) REFERENCES job_queue (id) ON DELETE CASCADE;
ALTER TABLE job_log ADD CONSTRAINT job_log_job_fk
    FOREIGN KEY (job_id) REFERENCES job_queue (id) ON DELETE CASCADE;
ALTER TABLE job_schedules ADD CONSTRAINT job_schedules_collection_fk
    FOREIGN KEY (collection_node_id) REFERENCES nodes (id) ON DELETE CASCADE;

-- Every claim and finish leaves a dead row behind: vacuum by count, not by share of a table that may be large.
ALTER TABLE job_queue SET (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500, autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE workers SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- New work wakes the workers: one empty notification a statement. The payload is empty because NOTIFY folds equal
-- ones of a transaction into one, and because a worker only needs to know that it should look.
CREATE FUNCTION job_queue_wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('synops_work', '');
    RETURN NULL;
END $$;
CREATE TRIGGER job_queue_wake AFTER INSERT ON job_queue FOR EACH STATEMENT EXECUTE FUNCTION job_queue_wake();
