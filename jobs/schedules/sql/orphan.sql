-- Schedules whose code is gone: they do not tick, and are shown so. The operator's switch is kept for their return.
UPDATE job_schedules SET orphaned = true
WHERE owner = 'code' AND NOT orphaned AND NOT name = ANY(%(names)s::text[])
