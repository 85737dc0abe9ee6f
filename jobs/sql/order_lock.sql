-- Whoever enqueues under an order key holds its lock until commit, taken before the insert's snapshot and in one order.
SELECT pg_advisory_xact_lock(hashtextextended(key, 7))
FROM (SELECT DISTINCT unnest(%(keys)s::text[]) AS key ORDER BY key) AS keys
