-- Marks workers whose heartbeat is older than the TTL as lost. Index: workers_alive.
UPDATE workers
SET state = 'lost', stopped_at = now()
WHERE state IN ('running', 'draining') AND heartbeat_at < now() - make_interval(secs => %(ttl)s)
RETURNING id
