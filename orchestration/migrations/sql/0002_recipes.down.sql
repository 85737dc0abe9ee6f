DROP TRIGGER edges_observes_drawn ON edges;
DROP TRIGGER edges_observes_removed ON edges;
DROP FUNCTION observes_drawn(), observes_removed();
DROP INDEX nodes_open_work_items, nodes_active_recipes;
ALTER TABLE orchestration_tombstones DROP CONSTRAINT tombstones_node_fk, DROP CONSTRAINT tombstones_orchestration_fk;
ALTER TABLE orchestration_considered DROP CONSTRAINT considered_orchestration_fk;
ALTER TABLE orchestration_log DROP CONSTRAINT log_orchestration_fk, DROP CONSTRAINT log_run_fk;
ALTER TABLE orchestration_run_steps DROP CONSTRAINT run_steps_run_fk;
ALTER TABLE orchestration_runs DROP CONSTRAINT runs_user_fk, DROP CONSTRAINT runs_collection_fk,
    DROP CONSTRAINT runs_orchestration_fk;
ALTER TABLE orchestration_versions DROP CONSTRAINT versions_author_fk, DROP CONSTRAINT versions_orchestration_fk;
