-- Claims up to %(slots)s jobs for worker %(worker)s: the end of a statement that begins with admission.sql, fitting.sql and
-- remembered.sql. Runs right after claim_lock.sql, in the same transaction. Index: job_queue_pkey. The last row is what
-- it remembers, and no job.
locked AS MATERIALIZED (  -- = ANY(ARRAY(…)) forces the primary key; a join here became a hash join over the whole table
    SELECT q.ctid AS place FROM job_queue q
    WHERE q.id = ANY(ARRAY(SELECT f.id FROM fitting f WHERE f.taken)) AND q.status IN ('pending', 'retry')
    FOR UPDATE OF q SKIP LOCKED
),
claimed AS (
    UPDATE job_queue q
    SET status = 'running', started_at = now(), worker_id = %(worker)s, lease = q.lease + 1, attempts = q.attempts + 1,
        claim_no = (SELECT p.number FROM pass p)
    WHERE q.ctid = ANY(ARRAY(SELECT l.place FROM locked l))  -- a locked row stays where it is
    RETURNING q.id, q.collection_node_id, q.job_type, q.payload, q.priority, q.lease, q.attempts, q.max_attempts,
              q.run_id, q.chain, q.scheduled_for
),
attempt AS (
    INSERT INTO job_attempts (job_id, lease, attempt, worker_id, machine, due_at)
    SELECT c.id, c.lease, c.attempts, %(worker)s, %(machine)s, c.scheduled_for FROM claimed c
)
SELECT c.id, c.collection_node_id, c.job_type, c.payload::text, c.lease, c.attempts, c.max_attempts, c.run_id,
       c.chain::text[],
       coalesce(nullif(r.timeout_seconds, 0), 600), r.max_open_files, r.max_cpu_seconds, r.max_rss_mb,
       c.priority, c.scheduled_for, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text
FROM claimed c
LEFT JOIN job_priority_rules r ON r.job_type = c.job_type
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, m.floor,
       m.types, m.priorities, m.times, m.ids
FROM remembered m
ORDER BY priority DESC NULLS LAST, scheduled_for, id
