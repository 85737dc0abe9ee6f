-- The machines that have a live worker: their budget, free slots, and the types that their workers can run.
-- Index: workers_alive.
SELECT w.machine, max(w.max_weight), sum(greatest(w.max_concurrent - w.running, 0)), bool_or(w.governor = 'auto'),
       ARRAY(SELECT DISTINCT t FROM workers o, unnest(o.types) AS t
             WHERE o.machine = w.machine AND o.state = 'running'
               AND o.heartbeat_at >= now() - make_interval(secs => %(ttl)s) ORDER BY t)
FROM workers w
WHERE w.state = 'running' AND w.heartbeat_at >= now() - make_interval(secs => %(ttl)s)
GROUP BY w.machine
ORDER BY w.machine
