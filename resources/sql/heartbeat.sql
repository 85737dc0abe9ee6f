-- One beat for the whole worker, answered by whether a person wants it to take no more jobs; no row = it was given up as
-- lost and must register anew. Index: workers_pkey.
UPDATE workers
SET heartbeat_at = now(), state = %(state)s, running = %(running)s, load_1m = %(load_1m)s, rss_bytes = %(rss_bytes)s,
    listening = %(listening)s, types = %(types)s
WHERE id = %(id)s AND state IN ('running', 'draining')
RETURNING drain_requested_at IS NOT NULL
