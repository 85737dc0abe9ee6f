-- Steps that an earlier version may have left have no generation to belong to; nothing has run on them yet.
DELETE FROM pipeline_steps;
ALTER TABLE pipeline_generations ADD CONSTRAINT pipeline_generations_collection_fk
    FOREIGN KEY (collection_node_id) REFERENCES nodes (id) ON DELETE CASCADE;
ALTER TABLE pipeline_steps ADD CONSTRAINT pipeline_steps_generation_fk
    FOREIGN KEY (pipeline, unit, generation) REFERENCES pipeline_generations (pipeline, unit, generation)
    ON DELETE CASCADE;

-- Like job_queue: every step leaves dead rows behind, and the small index of what is not over must stay small.
ALTER TABLE pipeline_steps SET (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500, autovacuum_vacuum_cost_delay = 0
);
