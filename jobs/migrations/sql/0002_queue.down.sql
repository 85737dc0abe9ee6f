DROP TRIGGER job_queue_wake ON job_queue;
DROP FUNCTION job_queue_wake();
ALTER TABLE workers RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
ALTER TABLE job_queue RESET (
    fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor,
    autovacuum_analyze_threshold, autovacuum_vacuum_cost_delay
);
ALTER TABLE job_schedules DROP CONSTRAINT job_schedules_collection_fk;
ALTER TABLE job_log DROP CONSTRAINT job_log_job_fk;
ALTER TABLE job_attempts DROP CONSTRAINT job_attempts_job_fk;
ALTER TABLE job_queue DROP CONSTRAINT job_queue_collection_fk;
