DELETE FROM pipeline_steps;
ALTER TABLE pipeline_steps RESET (
    autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_analyze_scale_factor, autovacuum_analyze_threshold, autovacuum_vacuum_cost_delay
);
ALTER TABLE pipeline_steps DROP CONSTRAINT pipeline_steps_generation_fk;
ALTER TABLE pipeline_generations DROP CONSTRAINT pipeline_generations_collection_fk;
