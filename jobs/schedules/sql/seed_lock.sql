-- Processes that seed at the same time do so one after another: none waits for a row that another holds.
SELECT pg_advisory_xact_lock(hashtext('synops.schedules'))
