-- What slows a queue on PostgreSQL down long before it stops: dead rows that vacuum can't take because some transaction
-- still might want to see them. Reads statistics views only. Sessions of other roles need pg_read_all_stats to be seen.
WITH oldest AS (
    SELECT pid, application_name, state, extract(epoch FROM now() - xact_start)::float8 AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL OR state LIKE 'idle in transaction%%')
    UNION ALL
    SELECT NULL, 'prepared transaction ' || gid, 'prepared', extract(epoch FROM now() - prepared)::float8
    FROM pg_prepared_xacts WHERE database = current_database()
    ORDER BY seconds DESC LIMIT 1
)
SELECT t.n_live_tup, t.n_dead_tup, greatest(t.last_vacuum, t.last_autovacuum), pg_notification_queue_usage(),
       o.pid, o.application_name, o.state, o.seconds
FROM pg_stat_user_tables t LEFT JOIN oldest o ON true
WHERE t.relid = 'job_queue'::regclass
