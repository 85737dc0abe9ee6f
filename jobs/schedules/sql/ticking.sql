-- The schedules that tick by themselves, and the database's clock. A table of some hundred rows.
SELECT name, cron, timezone, last_tick_at, now()
FROM job_schedules
WHERE enabled AND NOT dormant AND NOT orphaned
